CREATE VIEW issue_named AS
-- Every loss and doubt that reading met, with the file and the rank it concerns.
--
-- grain: id
-- uses:  issue, source, rank
-- cols:
--   id              -      issue.id
--   severity        text   error, warning or info
--   code            text   kind of issue
--   text            text   what is wrong
--   rank_id         -      rank it concerns; none if all or unknown
--   rank_no         -      its number in the job; none if unknown
--   directory       text   run directory of that rank
--   path            text   input file
--   table_name      text   table in it
--   first_offset    -      record, or byte, where it was met first
--   count           count  records it concerns
--   rejected_count  count  records that were left out because of it
SELECT
    i.id, i.severity, i.code, i.text, coalesce(i.rank_id, s.rank_id) AS rank_id,
    (SELECT rank_no FROM rank WHERE id = coalesce(i.rank_id, s.rank_id)) AS rank_no,
    (SELECT directory FROM rank WHERE id = coalesce(i.rank_id, s.rank_id)) AS directory, s.path, i.table_name,
    i.first_offset, i.count, i.rejected_count
FROM issue AS i LEFT JOIN source AS s ON s.id = i.source_id;
