CREATE VIEW check_rejected AS
-- Tables of input files with records that were rejected.
--
-- Records that only a note (an issue of severity info) accounts for are no loss and are left out: tables that other
-- tools added to a database. The view issue_named lists them.
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
WITH lost AS (
    SELECT
        t.source_id, t.name, t.record_count, t.rejected_count - coalesce((
            SELECT sum(i.rejected_count) FROM issue AS i
            WHERE i.source_id = t.source_id AND i.table_name = t.name AND i.severity = 'info'), 0) AS rejected_count
    FROM source_table AS t
    WHERE t.rejected_count > 0
)
SELECT
    t.source_id, s.path, t.name AS table_name, t.record_count, t.rejected_count,
    coalesce((
        SELECT group_concat(i.text, '; ') FROM issue AS i
        WHERE i.source_id = t.source_id AND i.table_name = t.name AND i.rejected_count > 0 AND i.severity <> 'info'
    ), 'no reason was recorded') AS text
FROM lost AS t JOIN source AS s ON s.id = t.source_id
WHERE t.rejected_count > 0;
