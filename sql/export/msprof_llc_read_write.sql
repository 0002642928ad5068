CREATE VIEW msprof_llc_read_write AS
-- llc_read_write.csv of msprof: hit rate and throughput of last level caches, each and on average.
--
-- Samples count as the vendor rounds them, to 0.1 percent and 0.001 MB/s (of 1024).
--
-- grain: rank_id, Device_id, Mode, place
-- uses:  counter, counter_sample
-- file:  llc_read_write.csv
-- window: counter_sample time_ns time_ns
-- cols:
--   rank_id             -      [key] rank
--   place               -      [key] order of the rows
--   Device_id           int    device
--   Mode                text   read or write
--   Task                text   Average, then the caches by number
--   "Hit Rate(%)"       float  hits of 100 requests
--   "Throughput(MB/s)"  float  bytes moved

-- Source: the columns are those of the vendor's public parser.
WITH cache AS (
    SELECT
        c.rank_id, c.device_id, substr(c.name, 1, instr(c.name, ' ') - 1) AS mode, c.instance_no,
        coalesce(round(avg(CASE WHEN c.unit = 'percent' THEN round(s.value / 100, 3) END), 6), 0) * 100 AS hit_rate,
        coalesce(round(avg(CASE WHEN c.unit = 'bytes/s' THEN round(s.value / 1048576, 3) END), 6), 0) AS throughput
    FROM counter c
    CROSS JOIN counter_sample s ON s.counter_id = c.id
    WHERE c.family = 'LLC'
    GROUP BY c.rank_id, c.device_id, mode, c.instance_no
)
SELECT
    rank_id,
    -1 AS place,
    device_id AS Device_id,
    mode AS Mode,
    'Average' AS Task,
    round(avg(hit_rate), 3) AS "Hit Rate(%)",
    round(avg(throughput), 3) AS "Throughput(MB/s)"
FROM cache
GROUP BY rank_id, device_id, mode
UNION ALL
SELECT rank_id, instance_no, device_id, mode, CAST(instance_no AS TEXT), round(hit_rate, 3), round(throughput, 3)
FROM cache
ORDER BY rank_id, Device_id, Mode, place;
