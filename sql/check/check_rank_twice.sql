CREATE VIEW check_rank_twice AS
-- Ranks of a run that are there more than once.
--
-- grain: run_id, rank_no
-- uses:  rank, run
-- cols:
--   run_id        -      run
--   run_name      text   its name
--   rank_no       -      rank
--   rank_count    count  how often
--   text          text   their directories
SELECT r.run_id, u.name AS run_name, r.rank_no, count(*) AS rank_count, group_concat(r.directory, ', ') AS text
FROM rank AS r JOIN run AS u ON u.id = r.run_id
WHERE r.rank_no IS NOT NULL
GROUP BY r.run_id, r.rank_no
HAVING count(*) > 1;
