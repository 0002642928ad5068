CREATE VIEW step_piece AS
-- What step_trace_time.csv sums: intervals of the overlap analysis, and receive operators.
--
-- The step is the one in whose device window (step.device_start_ns to device_end_ns) a piece starts; it counts with its
-- whole length.
--
-- grain: rank_id, device_id, kind, start_ns, end_ns
-- uses:  busy_kind, busy_interval, comm_op, rank, string
-- cols:
--   rank_id    -   rank
--   rank_no    -   its number in the job; none if unknown
--   device_id  -   device
--   step_id    -   step in whose device window it starts
--   kind       -   0 computing, 1 communication, 2 communication not overlapped, 3 free, 4 receive operator
--   start_ns   ns  start
--   end_ns     ns  end
SELECT g.rank_id, (SELECT rank_no FROM rank WHERE id = g.rank_id) AS rank_no,
    g.device_id, g.step_id, g.kind, g.start_ns, g.end_ns
FROM busy_kind AS k
JOIN busy_interval AS g ON g.rank_id = k.rank_id AND g.device_id = k.device_id AND g.kind = k.kind
UNION ALL
SELECT o.rank_id, r.rank_no, coalesce(o.device_id, r.device_id), o.step_id, 4, o.start_ns, o.end_ns
FROM comm_op o
JOIN rank r ON r.id = o.rank_id
JOIN string n ON n.id = o.name_id
WHERE n.value GLOB 'hcom_receive*';
