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
--   "args:Rx"                 float  MB/s of 1024
--   "args:Tx"                 float  MB/s of 1024, or us of latency
--   "args:Rx Packets"         float  packets/s
--   "args:Tx Packets"         float  packets/s
--   "args:L2 Buffer Bw Level" int    level
--   "args:Mata Bw Level"      int    level
--   "args:Usage(%)"           float  percent
--   "args:value"              float  MB/s of 1024
--   "args:die 0"              float  MB/s of 1024
--   "args:die 1"              float  MB/s of 1024
WITH copy (copy) AS (VALUES (1), (2))
SELECT
    c.counter_id, copy.copy, c.rank_id, s.time_ns AS start_ns, s.time_ns AS end_ns,
    'C' AS ph,
    c.event AS name,
    c.pid,
    0 AS tid,
    s.time_ns AS ts,
    CASE c.series WHEN 'MHz' THEN CAST(s.value AS INTEGER) END AS "args:MHz",
    CASE c.series WHEN 'Read(MB/s)' THEN s.value * c.factor END AS "args:Read(MB/s)",
    CASE c.series WHEN 'Write(MB/s)' THEN s.value * c.factor END AS "args:Write(MB/s)",
    CASE c.series WHEN 'Hit Rate(%)' THEN s.value * c.factor END AS "args:Hit Rate(%)",
    CASE c.series WHEN 'Throughput(MB/s)' THEN s.value * c.factor END AS "args:Throughput(MB/s)",
    CASE c.series WHEN 'Rx(MB/s)' THEN s.value * c.factor END AS "args:Rx(MB/s)",
    CASE c.series WHEN 'Tx(MB/s)' THEN s.value * c.factor END AS "args:Tx(MB/s)",
    CASE c.series WHEN 'Rx' THEN s.value * c.factor END AS "args:Rx",
    CASE c.series WHEN 'Tx' THEN s.value * c.factor END AS "args:Tx",
    CASE c.series WHEN 'Rx Packets' THEN s.value END AS "args:Rx Packets",
    CASE c.series WHEN 'Tx Packets' THEN s.value END AS "args:Tx Packets",
    CASE c.series WHEN 'L2 Buffer Bw Level' THEN CAST(s.value AS INTEGER) END AS "args:L2 Buffer Bw Level",
    CASE c.series WHEN 'Mata Bw Level' THEN CAST(s.value AS INTEGER) END AS "args:Mata Bw Level",
    CASE c.series WHEN 'Usage(%)' THEN s.value END AS "args:Usage(%)",
    CASE c.series WHEN 'value' THEN s.value * c.factor END AS "args:value",
    CASE c.series WHEN 'die 0' THEN s.value * c.factor END AS "args:die 0",
    CASE c.series WHEN 'die 1' THEN s.value * c.factor END AS "args:die 1"
FROM vendor_counter_series c
CROSS JOIN copy
CROSS JOIN counter_sample s ON s.counter_id = c.counter_id
WHERE s.value IS NOT NULL AND (copy.copy = 1 OR c.family = 'AICORE_FREQ');
