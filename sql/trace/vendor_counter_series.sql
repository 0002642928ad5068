CREATE VIEW vendor_counter_series AS
-- Where a counter is shown in the vendor's trace: process, event, series and factor.
--
-- The warehouse holds bytes/s and percent; the trace shows MB/s (of 1024) and fractions.  Counters without a line here
-- are shown by views of their own, or not at all.
--
-- grain: counter_id
-- uses:  counter, vendor_rank
-- cols:
--   counter_id  -      counter.id
--   rank_id     -      rank
--   family      -      family of the counter
--   process     -      name of the process
--   label       -      CPU or NPU
--   sort_index  -      place among the processes
--   pid         -      packed process
--   event       -      name of the event
--   series      -      series of the event
--   factor      ratio  value shown / value stored
--   digits      -      decimal places, none where all are shown; 0 for whole numbers

-- Source: deliverables.md 1.1, 1.8.
WITH place (family, name, process, label, sort_index, event, series, factor, digits) AS (
    VALUES
        ('CPU_USAGE', 'usage', 'CPU Usage', 'CPU', 9, 'CPU #', 'Usage(%)', 1.0, NULL),
        ('HOST_MEM_USAGE', 'usage', 'Memory Usage', 'CPU', 10, 'Memory Usage', 'Usage(%)', 1.0, NULL),
        ('HOST_NETWORK_USAGE', 'usage', 'Network Usage', 'CPU', 11, 'Network Usage', 'Usage(%)', 1.0, NULL),
        ('HOST_DISK_USAGE', 'usage', 'Disk Usage', 'CPU', 12, 'Disk Usage', 'Usage(%)', 1.0, NULL),
        ('AICORE_FREQ', 'freq', 'AI Core Freq', 'NPU', 15, 'AI Core Freq Die #', 'MHz', 1.0, 0),
        ('DDR', 'read', 'DDR', 'NPU', 18, 'DDR/Read', 'Read(MB/s)', 1.0 / 1048576, NULL),
        ('DDR', 'write', 'DDR', 'NPU', 18, 'DDR/Write', 'Write(MB/s)', 1.0 / 1048576, NULL),
        ('HCCS', 'rxThroughput', 'HCCS', 'NPU', 20, 'Rx', 'Rx(MB/s)', 1.0 / 1048576, 3),
        ('HCCS', 'txThroughput', 'HCCS', 'NPU', 20, 'Tx', 'Tx(MB/s)', 1.0 / 1048576, 3),
        ('HBM', 'read', 'HBM', 'NPU', 24, 'HBM #/Read', 'Read(MB/s)', 1.0 / 1048576, NULL),
        ('HBM', 'write', 'HBM', 'NPU', 24, 'HBM #/Write', 'Write(MB/s)', 1.0 / 1048576, NULL),
        ('SOC_BANDWIDTH_LEVEL', 'l2BufferBwLevel', 'Stars Soc Info', 'NPU', 25, 'L2 Buffer Bw Level',
            'L2 Buffer Bw Level', 1.0, 0),
        ('SOC_BANDWIDTH_LEVEL', 'mataBwLevel', 'Stars Soc Info', 'NPU', 25, 'Mata Bw Level', 'Mata Bw Level', 1.0, 0),
        ('LLC', 'read hitRate', 'LLC', 'NPU', 27, 'LLC # Read/Hit Rate', 'Hit Rate(%)', 0.01, 3),
        ('LLC', 'write hitRate', 'LLC', 'NPU', 27, 'LLC # Write/Hit Rate', 'Hit Rate(%)', 0.01, 3),
        ('LLC', 'read throughput', 'LLC', 'NPU', 27, 'LLC # Read/Throughput', 'Throughput(MB/s)', 1.0 / 1048576, 3),
        ('LLC', 'write throughput', 'LLC', 'NPU', 27, 'LLC # Write/Throughput', 'Throughput(MB/s)', 1.0 / 1048576, 3)
)
SELECT
    c.id AS counter_id, c.rank_id, c.family, p.process, p.label, p.sort_index,
    (r.pid * 1024 + p.sort_index * 32 | CASE p.label WHEN 'CPU' THEN 31 ELSE c.device_id END) & 4294967295 AS pid,
    CASE WHEN c.instance_no IS NULL THEN replace(replace(p.event, ' Die #', ''), '#', '0')
        ELSE replace(p.event, '#', c.instance_no) END AS event,
    p.series, p.factor, p.digits
FROM counter c
JOIN place p ON p.family = c.family AND p.name = c.name
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
UNION ALL
SELECT
    c.id, c.rank_id, c.family, 'QoS', 'NPU', 29, (r.pid * 1024 + 29 * 32 | c.device_id) & 4294967295,
    c.name, coalesce('die ' || c.instance_no, 'value'), 1.0 / 1048576, 0
FROM counter c
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
WHERE c.family = 'QOS'
UNION ALL
SELECT  -- die 0 rxReq: series die 0 of event req_rx
    c.id, c.rank_id, c.family, 'SIO', 'NPU', 28, (r.pid * 1024 + 28 * 32 | c.device_id) & 4294967295,
    lower(substr(c.name, 9)) || '_' || substr(c.name, 7, 2), substr(c.name, 1, 5), 1.0 / 1048576, NULL
FROM counter c
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
WHERE c.family = 'SIO' AND (c.name GLOB 'die 0 *' OR c.name GLOB 'die 1 *');
