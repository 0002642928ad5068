CREATE VIEW trace_collective_flow AS
-- Flows of our own trace between the ranks of a run that take part in one communication operation.
--
-- Group and instance name together are the operation.  A flow leads from each rank to the one that begins next.
--
-- grain: id
-- uses:  comm_op, comm_group, rank, trace_base
-- cols:
--   peer_rank_id   -      [key] rank where it begins
--   rank_id        -      [key] rank
--   step_id        -      [key] step of the end
--   start_ns       ns     [key] start of the slice at the end
--   end_ns         ns     [key] end of the slice at the end
--   peer_start_ns  ns     [key] start of the slice at the beginning
--   peer_until_ns  ns     [key] its end, at least a ns after its start
--   peer_step_id   -      [key] its step
--   name           text   name of the flow
--   id             int    number of the flow, unique under its name
--   from_pid       int    process where it begins
--   from_tid       int    thread and lane where it begins
--   from_ts        ns_us  start of that slice since the base
--   to_pid         int    process where it ends
--   to_tid         int    thread and lane where it ends
--   to_ts          ns_us  start of that slice since the base
WITH part AS (
    SELECT
        o.id, o.rank_id, o.step_id, o.start_ns, o.end_ns,
        k.run_id, g.name_id AS group_name_id, o.name_id,
        o.rank_id * 1000 + coalesce(o.device_id, k.device_id, 0) * 10 + 4 AS pid,
        o.comm_group_id % 40000 * 100000 + o.lane AS tid
    FROM comm_op o
    JOIN comm_group g ON g.id = o.comm_group_id
    JOIN rank k ON k.id = o.rank_id
),
chain AS (
    SELECT *, lag(id) OVER (PARTITION BY run_id, group_name_id, name_id ORDER BY start_ns, id) AS before_id FROM part
)
SELECT
    b.rank_id AS peer_rank_id,
    p.rank_id, p.step_id, p.start_ns, p.end_ns,
    b.start_ns AS peer_start_ns, max(b.end_ns, b.start_ns + 1) AS peer_until_ns, b.step_id AS peer_step_id,
    'collective' AS name, p.id,
    b.pid AS from_pid, b.tid AS from_tid, b.start_ns - (SELECT base_ns FROM trace_base) AS from_ts,
    p.pid AS to_pid, p.tid AS to_tid, p.start_ns - (SELECT base_ns FROM trace_base) AS to_ts
FROM chain p
JOIN part b ON b.id = p.before_id
WHERE b.rank_id <> p.rank_id;
