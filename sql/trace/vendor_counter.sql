CREATE VIEW vendor_counter AS
-- Counters of hardware and host in the vendor's trace, an event a sample and series.
--
-- The core frequency comes twice: the vendor lists two assemblers for it, both the same one.
--
-- grain: counter_id, start_ns, copy
-- uses:  vendor_counter_series, counter_sample
-- window: self start_ns end_ns
-- cols:
--   counter_id                -      [key] counter.id
--   copy                      -      [key] 2 = the second time
--   rank_id                   -      [key] rank
--   start_ns                  ns     [key] time
--   end_ns                    ns     [key] time
--   ph                        text   C
--   name                      text   series such as HBM 0/Read
--   pid                       int    packed process
--   tid                       int    0
--   ts                        stamp  time
--   "args:MHz"                int    frequency
--   "args:Read(MB/s)"         float  MB/s of 1024
--   "args:Write(MB/s)"        float  MB/s of 1024
--   "args:Hit Rate(%)"        float  fraction, in spite of the name
--   "args:Throughput(MB/s)"   float  MB/s of 1024
--   "args:Rx(MB/s)"           float  MB/s of 1024
--   "args:Tx(MB/s)"           float  MB/s of 1024
--   "args:L2 Buffer Bw Level" int    level
--   "args:Mata Bw Level"      int    level
--   "args:Usage(%)"           float  percent
--   "args:value"              float  MB/s of 1024
--   "args:die 0"              float  MB/s of 1024
--   "args:die 1"              float  MB/s of 1024
WITH copy (copy) AS (VALUES (1), (2))
SELECT
    counter_id, copy, rank_id, start_ns, start_ns AS end_ns, 'C' AS ph, name, pid, 0 AS tid, start_ns AS ts,
    CASE series WHEN 'MHz' THEN shown END AS "args:MHz",
    CASE series WHEN 'Read(MB/s)' THEN shown END AS "args:Read(MB/s)",
    CASE series WHEN 'Write(MB/s)' THEN shown END AS "args:Write(MB/s)",
    CASE series WHEN 'Hit Rate(%)' THEN shown END AS "args:Hit Rate(%)",
    CASE series WHEN 'Throughput(MB/s)' THEN shown END AS "args:Throughput(MB/s)",
    CASE series WHEN 'Rx(MB/s)' THEN shown END AS "args:Rx(MB/s)",
    CASE series WHEN 'Tx(MB/s)' THEN shown END AS "args:Tx(MB/s)",
    CASE series WHEN 'L2 Buffer Bw Level' THEN shown END AS "args:L2 Buffer Bw Level",
    CASE series WHEN 'Mata Bw Level' THEN shown END AS "args:Mata Bw Level",
    CASE series WHEN 'Usage(%)' THEN shown END AS "args:Usage(%)",
    CASE series WHEN 'value' THEN shown END AS "args:value",
    CASE series WHEN 'die 0' THEN shown END AS "args:die 0",
    CASE series WHEN 'die 1' THEN shown END AS "args:die 1"
FROM (
    SELECT
        c.counter_id, copy.copy, c.rank_id, s.time_ns AS start_ns, c.event AS name, c.pid, c.series,
        CASE c.digits WHEN 0 THEN CAST(s.value * c.factor AS INTEGER)
            ELSE coalesce(round(s.value * c.factor, c.digits), s.value * c.factor) END AS shown
    FROM vendor_counter_series c
    CROSS JOIN copy
    CROSS JOIN counter_sample s ON s.counter_id = c.counter_id
    WHERE s.value IS NOT NULL AND (copy.copy = 1 OR c.family = 'AICORE_FREQ')
);
