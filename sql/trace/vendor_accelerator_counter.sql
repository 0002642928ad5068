CREATE VIEW vendor_accelerator_counter AS
-- Acc PMU in the vendor's trace: of the accelerators sampled at one time the largest value.
--
-- grain: rank_id, pid, name, start_ns
-- uses:  counter, counter_sample, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   rank_id      -      [key] rank
--   start_ns     ns     [key] time
--   end_ns       ns     [key] time
--   ph           text   C
--   name         text   read_bandwidth, read_ost, write_bandwidth, write_ost
--   pid          int    packed process
--   tid          int    0
--   ts           stamp  time
--   "args:value" int    level
SELECT
    c.rank_id, s.time_ns AS start_ns, s.time_ns AS end_ns,
    'C' AS ph,
    CASE c.name WHEN 'readBwLevel' THEN 'read_bandwidth' WHEN 'readOstLevel' THEN 'read_ost'
        WHEN 'writeBwLevel' THEN 'write_bandwidth' ELSE 'write_ost' END AS name,
    (r.pid * 1024 + 19 * 32 | c.device_id) & 4294967295 AS pid,
    0 AS tid,
    s.time_ns AS ts,
    CAST(max(s.value) AS INTEGER) AS "args:value"
FROM counter c
CROSS JOIN counter_sample s ON s.counter_id = c.id
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
WHERE c.family = 'ACC_PMU' AND s.value IS NOT NULL
GROUP BY c.rank_id, c.device_id, c.name, s.time_ns;
