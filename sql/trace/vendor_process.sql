CREATE VIEW vendor_process AS
-- Processes of the vendor's trace: those that have anything to show.
--
-- The vendor writes the process of the core frequency twice; see vendor_counter.
--
-- grain: pid, copy
-- uses:  vendor_rank, thread, device, stream, counter, vendor_counter_series, comm_op, device_memory, busy_interval
-- cols:
--   rank_id     -  rank
--   pid         -  number of the process
--   name        -  name
--   label       -  CPU, or NPU and the device
--   sort_index  -  place among the processes
--   copy        -  2 = the second time
WITH host (name, sort_index) AS (VALUES ('Python', 0), ('Python GC', 1), ('Process ', 6), ('CANN', 7)),
family (family, name, sort_index) AS (
    VALUES ('ACC_PMU', 'Acc PMU', 19), ('NIC', 'NIC', 21), ('ROCE', 'RoCE', 22), ('PCIE', 'PCIe', 23),
        ('PA_LINK', 'Stars Chip Trans', 26)
),
hardware AS (
    SELECT DISTINCT c.rank_id, c.device_id, f.name, f.sort_index FROM family f JOIN counter c ON c.family = f.family
    UNION ALL
    SELECT d.rank_id, d.device_id, 'Ascend Hardware', 14 FROM device d
    WHERE EXISTS (SELECT 1 FROM stream s WHERE s.rank_id = d.rank_id AND s.device_id = d.device_id)
    UNION ALL
    SELECT d.rank_id, d.device_id, 'NPU MEM', 17 FROM device d
    WHERE EXISTS (SELECT 1 FROM device_memory m WHERE m.rank_id = d.rank_id AND m.device_id = d.device_id)
    UNION ALL
    SELECT d.rank_id, d.device_id, 'Overlap Analysis', 31 FROM device d
    WHERE EXISTS (SELECT 1 FROM busy_interval b WHERE b.rank_id = d.rank_id AND b.device_id = d.device_id)
    UNION ALL
    SELECT r.rank_id, r.device_id, 'Communication', 16 FROM vendor_rank r
    WHERE EXISTS (SELECT 1 FROM comm_op o WHERE o.rank_id = r.rank_id)
)
SELECT
    r.rank_id,
    CASE h.sort_index WHEN 0 THEN r.pid WHEN 1 THEN r.gc_pid WHEN 6 THEN r.mark_pid ELSE r.cann_pid END AS pid,
    CASE h.sort_index WHEN 6 THEN h.name || r.pid ELSE h.name END AS name,
    'CPU' AS label,
    h.sort_index,
    1 AS copy
FROM vendor_rank r
CROSS JOIN host h
WHERE EXISTS (
    SELECT 1 FROM thread t
    WHERE t.rank_id = r.rank_id AND CASE h.sort_index WHEN 0 THEN t.op_count > 0 OR t.queue_count > 0
        WHEN 1 THEN t.gc_count > 0 WHEN 6 THEN t.mark_count > 0 ELSE t.api_count > 0 END)
UNION ALL
SELECT DISTINCT s.rank_id, s.pid, s.process, s.label || coalesce(' ' || c.device_id, ''), s.sort_index, 1
FROM vendor_counter_series s
JOIN counter c ON c.id = s.counter_id
UNION ALL
SELECT DISTINCT s.rank_id, s.pid, s.process, s.label || ' ' || c.device_id, s.sort_index, 2
FROM vendor_counter_series s
JOIN counter c ON c.id = s.counter_id
WHERE s.family = 'AICORE_FREQ'
UNION ALL
SELECT
    h.rank_id, (r.pid * 1024 + h.sort_index * 32 | h.device_id) & 4294967295, h.name, 'NPU ' || h.device_id,
    h.sort_index, 1
FROM hardware h
JOIN vendor_rank r ON r.rank_id = h.rank_id;
