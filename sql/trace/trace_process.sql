CREATE VIEW trace_process AS
-- Processes of our own trace: some a rank and device; no two ranks or runs share one.
--
-- The pid is rank * 1000 + device * 10 + kind, with the rank's id.
--
-- grain: pid
-- uses:  rank, run, device
-- cols:
--   rank_id     -  rank
--   device_id   -  device, none for the host
--   kind        -  1 framework, 2 CANN, 3 streams, 4 communication, 5 overlap analysis, 6 memory, 7 counters
--   pid         -  number of the process
--   name        -  run (where there are several), rank or else pid, device by its chip, and what it shows
--   sort_index  -  by run, rank, device, kind

-- The views trace_* count on that formula.
WITH kind (kind, name) AS (
    VALUES (1, 'Python'), (2, 'CANN'), (3, 'streams'), (4, 'communication'), (5, 'overlap analysis'), (6, 'memory'),
        (7, 'counters')
),
ranked AS (
    SELECT
        r.id,
        CASE WHEN (SELECT count(*) FROM run) > 1 THEN 'run ' || r.run_id || ' ' || u.name || ', ' ELSE '' END
            || coalesce('rank ' || r.rank_no, 'python ' || r.pid, 'rank ?') AS label,
        row_number() OVER (ORDER BY r.run_id, r.rank_no, r.id) AS place
    FROM rank r
    JOIN run u ON u.id = r.run_id
)
SELECT
    r.id AS rank_id,
    d.device_id,
    k.kind,
    r.id * 1000 + coalesce(d.device_id, 0) * 10 + k.kind AS pid,
    r.label || ' ' || coalesce(coalesce(d.chip_name, 'NPU') || ' ' || d.device_id || ' ', '') || k.name AS name,
    r.place * 1000 + coalesce(d.device_id, 0) * 10 + k.kind AS sort_index
FROM ranked r
JOIN kind k
LEFT JOIN device d ON d.rank_id = r.id AND k.kind >= 3;
