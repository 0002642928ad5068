CREATE VIEW check_ledger AS
-- Input files whose records or bytes were not all accounted for.
--
-- Records must equal loaded + rejected, in the file and in each of its tables; bytes decoded + rejected.
--
-- grain: source_id, table_name
-- uses:  source, source_table
-- cols:
--   source_id       -      source.id
--   path            text   the file
--   table_name      text   table in it; none = the file as a whole
--   record_count    count  records in it
--   loaded_count    count  of them loaded
--   rejected_count  count  of them rejected
--   text            text   what does not add up
SELECT s.id AS source_id, s.path, NULL AS table_name, s.record_count, s.loaded_count, s.rejected_count,
    'records are not loaded + rejected' AS text
FROM source AS s
WHERE s.state = 'used' AND s.record_count <> s.loaded_count + s.rejected_count
UNION ALL
SELECT s.id, s.path, NULL, s.record_count, s.loaded_count, s.rejected_count,
    'of ' || s.size_bytes || ' bytes ' || s.decoded_bytes || ' were decoded and ' || s.rejected_bytes || ' rejected'
FROM source AS s
WHERE s.state = 'used' AND s.size_bytes <> s.decoded_bytes + s.rejected_bytes
UNION ALL
SELECT s.id, s.path, t.name, t.record_count, t.loaded_count, t.rejected_count, 'records are not loaded + rejected'
FROM source_table AS t JOIN source AS s ON s.id = t.source_id
WHERE t.record_count <> t.loaded_count + t.rejected_count
UNION ALL
SELECT s.id, s.path, NULL, s.record_count, s.loaded_count, s.rejected_count, 'the tables add up to another number'
FROM source AS s JOIN source_table AS t ON t.source_id = s.id
WHERE s.state = 'used'
GROUP BY s.id
HAVING sum(t.record_count) <> s.record_count OR sum(t.loaded_count) <> s.loaded_count
    OR sum(t.rejected_count) <> s.rejected_count;
