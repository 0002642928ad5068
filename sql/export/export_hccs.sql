CREATE VIEW export_hccs AS
-- hccs.csv: traffic over the links between the devices of a host.
--
-- grain: rank_id, Device_id, Mode
-- uses:  counter, counter_sample
-- file:  hccs.csv
-- window: counter_sample time_ns time_ns
-- cols:
--   rank_id    -      [key] rank
--   Device_id  int    device
--   Mode       text   Tx (MB/s), then Rx (MB/s); MB of 1024
--   Max        float  largest sample
--   Min        float  smallest sample
--   Average    float  mean of the samples

-- Source: deliverables.md section 12.
SELECT
    c.rank_id,
    c.device_id AS Device_id,
    CASE c.name WHEN 'txThroughput' THEN 'Tx (MB/s)' ELSE 'Rx (MB/s)' END AS Mode,
    round(max(s.value) / 1048576, 3) AS Max,
    round(min(s.value) / 1048576, 3) AS Min,
    round(avg(s.value) / 1048576, 3) AS Average
FROM counter c
CROSS JOIN counter_sample s ON s.counter_id = c.id
WHERE c.family = 'HCCS' AND c.name IN ('txThroughput', 'rxThroughput') AND s.value IS NOT NULL
GROUP BY c.id
ORDER BY c.rank_id, c.device_id, c.name DESC;
