CREATE VIEW msprof_hbm AS
-- hbm.csv of msprof: mean traffic of each stack of high bandwidth memory, and of one on average.
--
-- MB are of 1024.  The mean of all stacks is the sum of their means, rounded to 0.001, divided by their number; halves
-- go to the even side.
--
-- grain: rank_id, Device_id, place
-- uses:  counter, counter_sample
-- file:  hbm.csv
-- window: counter_sample time_ns time_ns
-- cols:
--   rank_id        -      [key] rank
--   place          -      [key] order of the rows
--   Device_id      int    device
--   Metric         text   Average, then the stacks by number
--   "Read(MB/s)"   float  bytes read
--   "Write(MB/s)"  float  bytes written

-- Source: the columns are those of the file; what is rounded where, of the vendor's public parser.
WITH stack AS (
    SELECT
        c.rank_id, c.device_id, c.instance_no,
        coalesce(avg(CASE c.name WHEN 'read' THEN s.value END) / 1048576, 0.0) AS reads,
        coalesce(avg(CASE c.name WHEN 'write' THEN s.value END) / 1048576, 0.0) AS writes
    FROM counter c
    CROSS JOIN counter_sample s ON s.counter_id = c.id
    WHERE c.family = 'HBM'
    GROUP BY c.rank_id, c.device_id, c.instance_no
),
whole AS (  -- thousandths
    SELECT
        rank_id, device_id, count(*) AS stacks, CAST(round(sum(reads) * 1000) AS INTEGER) AS reads,
        CAST(round(sum(writes) * 1000) AS INTEGER) AS writes
    FROM stack
    GROUP BY rank_id, device_id
)
SELECT
    rank_id,
    -1 AS place,
    device_id AS Device_id,
    'Average' AS Metric,
    printf('%.3f', (reads / stacks
        + (reads % stacks * 2 > stacks OR (reads % stacks * 2 = stacks AND reads / stacks % 2))) / 1000.0) AS "Read(MB/s)",
    printf('%.3f', (writes / stacks
        + (writes % stacks * 2 > stacks OR (writes % stacks * 2 = stacks AND writes / stacks % 2))) / 1000.0)
        AS "Write(MB/s)"
FROM whole
UNION ALL
SELECT rank_id, instance_no, device_id, CAST(instance_no AS TEXT), round(reads, 3), round(writes, 3)
FROM stack
ORDER BY rank_id, Device_id, place;
