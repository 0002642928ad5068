CREATE VIEW comm_matrix AS
-- The communication matrix: the fastest, middle and slowest operator of each link, and the sum.
--
-- A link is a pair of ranks within a kind of operator and group. Ranked by bandwidth, fastest first: top1 the first,
-- middle number n/2 counted from 0, bottom1..3 the last, the one before it and the one before that, as far as there are
-- so many; total the sum of all.
--
-- grain: rank_id, drawn_by, step_name, type, group_name, kind, place, src_rank_no, dst_rank_no
-- uses:  comm_op_label, comm_op_link, comm_op_step
-- cols:
--   rank_id         -      rank the operators ran on
--   drawn_by        -      whose step windows: text or database
--   step_name       -      step and its number
--   step_id         -      the step; none without steps
--   type            -      p2p or collective
--   group_name      -      communication group
--   kind            -      allreduce, send, ...
--   place           -      top1, middle, bottom1, bottom2, bottom3 or total
--   src_rank_no     -      rank the data came from
--   dst_rank_no     -      rank it went to
--   transport       -      LOCAL, HCCS, PCIE, ...
--   size_bytes      bytes  bytes moved
--   transit_ns      ns     sum of the durations of the transfers
--   bandwidth_gbps  GB/s   size / time, 4 decimals
--   op_name         -      the operator in that place; none for total
WITH ranked AS (
    SELECT
        o.rank_id, s.drawn_by, s.step_name, s.step_id, o.type, o.group_name, o.kind, l.src_rank_no, l.dst_rank_no,
        l.transport, l.size_bytes, l.transit_ns, l.bandwidth_gbps, o.name AS op_name,
        row_number() OVER (link ORDER BY l.bandwidth_gbps DESC, o.start_ns, o.comm_op_id) - 1 AS position,
        count(*) OVER link AS n
    FROM comm_op_label o
    JOIN comm_op_step s ON s.comm_op_id = o.comm_op_id
    JOIN comm_op_link l ON l.comm_op_id = o.comm_op_id
    WINDOW link AS (
        PARTITION BY o.rank_id, s.drawn_by, s.step_name, o.type, o.group_name, o.kind, l.src_rank_no, l.dst_rank_no
    )
),
place (place, shift, from_end) AS (
    VALUES ('top1', 0, 0), ('middle', NULL, 0), ('bottom1', 1, 1), ('bottom2', 2, 1), ('bottom3', 3, 1)
)
SELECT
    rank_id, drawn_by, step_name, step_id, type, group_name, kind, place, src_rank_no, dst_rank_no, transport,
    size_bytes, transit_ns, bandwidth_gbps, op_name
FROM ranked
JOIN place ON position = CASE WHEN from_end THEN n - shift ELSE coalesce(shift, n / 2) END
UNION ALL
SELECT
    rank_id, drawn_by, step_name, step_id, type, group_name, kind, 'total', src_rank_no, dst_rank_no,
    max(CASE WHEN position = 0 THEN transport END), sum(size_bytes), sum(transit_ns),
    coalesce(round(sum(size_bytes) * 1.0 / nullif(sum(transit_ns), 0), 4), 0), NULL
FROM ranked
GROUP BY rank_id, drawn_by, step_name, step_id, type, group_name, kind, src_rank_no, dst_rank_no;
