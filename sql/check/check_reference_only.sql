CREATE VIEW check_reference_only AS
-- Ranks of which only analysis.db was read: its own numbers, no profiler database to compute them from.
--
-- grain: rank_id
-- uses:  rank, reference_step, reference_comm_time, reference_comm_bandwidth, reference_comm_matrix, reference_overlap,
--        rank_recorded
-- cols:
--   rank_id    -     rank
--   rank_no    -     its number in the job; none if unknown
--   directory  text  its run directory
--   text       text  what is missing
SELECT r.id AS rank_id, r.rank_no, r.directory, 'only reference rows, no profiler database' AS text
FROM rank AS r
WHERE r.id NOT IN (SELECT rank_id FROM rank_recorded)
    AND (
        EXISTS (SELECT 1 FROM reference_step WHERE rank_id = r.id)
        OR EXISTS (SELECT 1 FROM reference_comm_time WHERE rank_id = r.id)
        OR EXISTS (SELECT 1 FROM reference_comm_bandwidth WHERE rank_id = r.id)
        OR EXISTS (SELECT 1 FROM reference_comm_matrix WHERE rank_id = r.id)
        OR EXISTS (SELECT 1 FROM reference_overlap WHERE rank_id = r.id)
    );
