CREATE VIEW check_parent AS
-- Records that lie in one that is not before them: what is around a record has the smaller id.
--
-- grain: table_name, rank_id
-- uses:  op, python_call, api_call, rank
-- cols:
--   table_name  text   table
--   rank_id     -      rank
--   rank_no     -      its number in the job; none if unknown
--   row_count   count  rows that do so
--   first_id    -      id of the first
WITH found AS (
    SELECT 'op' AS table_name, rank_id, count(*) AS row_count, min(id) AS first_id
    FROM op WHERE parent_id >= id GROUP BY rank_id
    UNION ALL
    SELECT 'python_call', rank_id, count(*), min(id) FROM python_call WHERE parent_id >= id GROUP BY rank_id
    UNION ALL
    SELECT 'api_call', rank_id, count(*), min(id) FROM api_call WHERE parent_id >= id GROUP BY rank_id
)
SELECT table_name, rank_id, (SELECT rank_no FROM rank WHERE id = found.rank_id) AS rank_no, row_count, first_id
FROM found;
