CREATE VIEW check_rejected AS
-- Tables of input files with records that were rejected.
--
-- grain: source_id, table_name
-- uses:  source, source_table, issue
-- cols:
--   source_id       -      source.id
--   path            text   the file
--   table_name      text   table in it
--   record_count    count  records in it
--   rejected_count  count  of them rejected
--   text            text   why, from the issues
SELECT
    t.source_id, s.path, t.name AS table_name, t.record_count, t.rejected_count,
    coalesce((
        SELECT group_concat(i.text, '; ') FROM issue AS i
        WHERE i.source_id = t.source_id AND i.table_name = t.name AND i.rejected_count > 0
    ), 'no reason was recorded') AS text
FROM source_table AS t JOIN source AS s ON s.id = t.source_id
WHERE t.rejected_count > 0;
