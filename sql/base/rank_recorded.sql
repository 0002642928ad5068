CREATE VIEW rank_recorded AS
-- Ranks of which records of the device were read. What analysis.db says of them can be computed again.
--
-- grain: rank_id
-- uses:  rank, device_task, comm_op
-- cols:
--   rank_id  -  rank
SELECT r.id AS rank_id
FROM rank AS r
WHERE EXISTS (SELECT 1 FROM device_task WHERE rank_id = r.id) OR EXISTS (SELECT 1 FROM comm_op WHERE rank_id = r.id);
