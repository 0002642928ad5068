CREATE VIEW trace_collective_flow AS
-- Flows of our own trace between the ranks of a run that take part in one communication operation.
--
-- Group and instance name together are the operation.  The flow starts at the rank that begins first and ends at the
-- others.
--
-- grain: comm_op_id
-- uses:  comm_op, comm_group, rank, trace_base
-- cols:
--   comm_op_id     -      [key] comm_op.id
--   rank_id        -      [key] rank
--   step_id        -      [key] step
--   start_ns       ns     [key] start of the operation on this rank
--   end_ns         ns     [key] end of the operation on this rank
--   peer_rank_id   -      [key] rank that begins first
--   ph             text   s or f
--   bp             text   e
--   name           text   collective
--   cat            text   collective
--   id             int    comm_op.id on the rank that begins first
--   pid            int    process
--   tid            int    thread and lane
--   ts             ns_us  start since the base
WITH part AS (
    SELECT
        o.*,
        k.device_id AS rank_device_id,
        count(*) OVER (PARTITION BY k.run_id, g.name_id, o.name_id) AS rank_total,
        first_value(o.id) OVER earliest AS first_id,
        first_value(o.rank_id) OVER earliest AS first_rank_id
    FROM comm_op o
    JOIN comm_group g ON g.id = o.comm_group_id
    JOIN rank k ON k.id = o.rank_id
    WINDOW earliest AS (PARTITION BY k.run_id, g.name_id, o.name_id ORDER BY o.start_ns, o.id)
)
SELECT
    p.id AS comm_op_id, p.rank_id, p.step_id, p.start_ns, p.end_ns, p.first_rank_id AS peer_rank_id,
    CASE WHEN p.id = p.first_id THEN 's' ELSE 'f' END AS ph,
    'e' AS bp, 'collective' AS name, 'collective' AS cat, p.first_id AS id,
    p.rank_id * 1000 + coalesce(p.device_id, p.rank_device_id, 0) * 10 + 4 AS pid,
    p.comm_group_id * 100000 + p.lane AS tid,
    p.start_ns - (SELECT base_ns FROM trace_base) AS ts
FROM part p
WHERE p.rank_total > 1
ORDER BY p.start_ns, p.id <> p.first_id;
