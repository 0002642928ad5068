CREATE VIEW msprof_ddr AS
-- ddr.csv of msprof: mean traffic of the memory that is no high bandwidth memory.
--
-- grain: rank_id, Device_id
-- uses:  counter, counter_sample
-- file:  ddr.csv
-- window: counter_sample time_ns time_ns
-- cols:
--   rank_id        -      [key] rank
--   Device_id      int    device
--   Metric         text   the word Average
--   "Read(MB/s)"   float  bytes read, MB of 1024
--   "Write(MB/s)"  float  bytes written, MB of 1024

-- Source: the columns are those of the vendor's public parser.
SELECT
    c.rank_id,
    c.device_id AS Device_id,
    'Average' AS Metric,
    coalesce(round(avg(CASE c.name WHEN 'read' THEN s.value END) / 1048576, 3), 0.0) AS "Read(MB/s)",
    coalesce(round(avg(CASE c.name WHEN 'write' THEN s.value END) / 1048576, 3), 0.0) AS "Write(MB/s)"
FROM counter c
CROSS JOIN counter_sample s ON s.counter_id = c.id
WHERE c.family = 'DDR'
GROUP BY c.rank_id, c.device_id
ORDER BY c.rank_id, c.device_id;
