CREATE VIEW comm_op_time AS
-- Where the time of each communication operator went.
--
-- Read from one plane: that of the first master task, whose length is then the operator's; older databases know no
-- masters: there it is plane 1 (else the lowest), and the operator spans all planes.  Where the tasks have no types
-- (Level0) only the whole is known.
--
-- grain: comm_op_id
-- uses:  comm_op_task, comm_op_rdma
-- cols:
--   rank_id             -   rank the operator ran on
--   comm_op_id          -   the operator
--   start_ns            ns  start of its first task
--   elapse_ns           ns  from there to the end of its last task
--   transit_ns          ns  transfers over a link; none where its tasks have no types
--   wait_ns             ns  waiting for other ranks; none where its tasks have no types
--   synchronization_ns  ns  the part of the waiting that precedes the first transfer
--   idle_ns             ns  the rest: elapse - transit - wait; between its tasks, mostly

-- Source: deliverables.md section 11.
WITH master AS (  -- SQLite takes plane_no from the row that holds the minimum
    SELECT comm_op_id, plane_no, min(start_ns) FROM comm_op_task WHERE is_master = 1 GROUP BY comm_op_id
),
plane AS (
    SELECT
        t.comm_op_id,
        CASE
            WHEN m.comm_op_id IS NOT NULL THEN m.plane_no
            WHEN max(t.plane_no = 1) THEN 1
            ELSE min(t.plane_no)
        END AS plane_no,
        m.comm_op_id IS NULL AS spans_all,
        count(t.type) > 0 AS is_typed
    FROM comm_op_task t
    LEFT JOIN master m ON m.comm_op_id = t.comm_op_id
    GROUP BY t.comm_op_id
),
span AS (
    SELECT t.rank_id, t.comm_op_id, p.is_typed, min(t.start_ns) AS start_ns, max(t.end_ns) AS end_ns
    FROM comm_op_task t
    JOIN plane p ON p.comm_op_id = t.comm_op_id
    WHERE p.spans_all OR t.plane_no IS p.plane_no
    GROUP BY t.comm_op_id
),
piece AS (
    SELECT t.comm_op_id, t.transfer_kind = 'wait' AS is_wait, t.start_ns, t.end_ns
    FROM comm_op_task t JOIN plane p ON p.comm_op_id = t.comm_op_id AND t.plane_no IS p.plane_no
    WHERE t.transfer_kind IN ('wait', 'packet')
    UNION ALL
    SELECT r.comm_op_id, 0, r.start_ns, r.end_ns
    FROM comm_op_rdma r JOIN plane p ON p.comm_op_id = r.comm_op_id AND r.plane_no IS p.plane_no
),
first_transit AS (
    SELECT comm_op_id, min(start_ns) AS start_ns FROM piece WHERE NOT is_wait GROUP BY comm_op_id
),
part AS (
    SELECT
        p.comm_op_id,
        sum(CASE WHEN is_wait THEN 0 ELSE p.end_ns - p.start_ns END) AS transit_ns,
        sum(CASE WHEN is_wait THEN p.end_ns - p.start_ns ELSE 0 END) AS wait_ns,
        sum(CASE WHEN is_wait AND p.start_ns < coalesce(f.start_ns, p.end_ns + 1) THEN p.end_ns - p.start_ns ELSE 0 END)
            AS synchronization_ns
    FROM piece p
    LEFT JOIN first_transit f ON f.comm_op_id = p.comm_op_id
    GROUP BY p.comm_op_id
)
SELECT
    s.rank_id,
    s.comm_op_id,
    s.start_ns,
    s.end_ns - s.start_ns AS elapse_ns,
    CASE WHEN s.is_typed THEN coalesce(p.transit_ns, 0) END AS transit_ns,
    CASE WHEN s.is_typed THEN coalesce(p.wait_ns, 0) END AS wait_ns,
    CASE WHEN s.is_typed THEN coalesce(p.synchronization_ns, 0) END AS synchronization_ns,
    CASE WHEN s.is_typed THEN s.end_ns - s.start_ns - coalesce(p.transit_ns, 0) - coalesce(p.wait_ns, 0) END AS idle_ns
FROM span s
LEFT JOIN part p ON p.comm_op_id = s.comm_op_id;
