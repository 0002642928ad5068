CREATE VIEW vendor_counter_series AS
-- Where a counter is shown in the vendor's trace: process, event, series and factor.
--
-- The databases hold bytes/s, percent and ns; the trace shows MB/s (of 1024), fractions and us.  Error and drop rates
-- of ports are in no database.  Counters without a line here are not shown.
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

-- Source: deliverables.md 1.1, 1.8.
WITH place (family, name, process, label, sort_index, event, series, factor) AS (
    VALUES
        ('CPU_USAGE', 'usage', 'CPU Usage', 'CPU', 9, 'CPU #', 'Usage(%)', 1.0),
        ('HOST_MEM_USAGE', 'usage', 'Memory Usage', 'CPU', 10, 'Memory Usage', 'Usage(%)', 1.0),
        ('HOST_NETWORK_USAGE', 'usage', 'Network Usage', 'CPU', 11, 'Network Usage', 'Usage(%)', 1.0),
        ('HOST_DISK_USAGE', 'usage', 'Disk Usage', 'CPU', 12, 'Disk Usage', 'Usage(%)', 1.0),
        ('AICORE_FREQ', 'freq', 'AI Core Freq', 'NPU', 15, 'AI Core Freq Die #', 'MHz', 1.0),
        ('DDR', 'read', 'DDR', 'NPU', 18, 'DDR/Read', 'Read(MB/s)', 1.0 / 1048576),
        ('DDR', 'write', 'DDR', 'NPU', 18, 'DDR/Write', 'Write(MB/s)', 1.0 / 1048576),
        ('HCCS', 'rxThroughput', 'HCCS', 'NPU', 20, 'Rx', 'Rx(MB/s)', 1.0 / 1048576),
        ('HCCS', 'txThroughput', 'HCCS', 'NPU', 20, 'Tx', 'Tx(MB/s)', 1.0 / 1048576),
        ('NIC', 'rxPacketRate', 'NIC', 'NPU', 21, 'Port #/Rx', 'Rx Packets', 1.0),
        ('NIC', 'txPacketRate', 'NIC', 'NPU', 21, 'Port #/Tx', 'Tx Packets', 1.0),
        ('ROCE', 'rxPacketRate', 'RoCE', 'NPU', 22, 'Port #/Rx', 'Rx Packets', 1.0),
        ('ROCE', 'txPacketRate', 'RoCE', 'NPU', 22, 'Port #/Tx', 'Tx Packets', 1.0),
        ('PCIE', 'txPostAvg', 'PCIe', 'NPU', 23, 'PCIe_post', 'Tx', 1.0 / 1048576),
        ('PCIE', 'rxPostAvg', 'PCIe', 'NPU', 23, 'PCIe_post', 'Rx', 1.0 / 1048576),
        ('PCIE', 'txNonpostAvg', 'PCIe', 'NPU', 23, 'PCIe_nonpost', 'Tx', 1.0 / 1048576),
        ('PCIE', 'rxNonpostAvg', 'PCIe', 'NPU', 23, 'PCIe_nonpost', 'Rx', 1.0 / 1048576),
        ('PCIE', 'txCplAvg', 'PCIe', 'NPU', 23, 'PCIe_cpl', 'Tx', 1.0 / 1048576),
        ('PCIE', 'rxCplAvg', 'PCIe', 'NPU', 23, 'PCIe_cpl', 'Rx', 1.0 / 1048576),
        ('PCIE', 'txNonpostLatencyAvg', 'PCIe', 'NPU', 23, 'PCIe_nonpost_latency', 'Tx', 0.001),
        ('HBM', 'read', 'HBM', 'NPU', 24, 'HBM #/Read', 'Read(MB/s)', 1.0 / 1048576),
        ('HBM', 'write', 'HBM', 'NPU', 24, 'HBM #/Write', 'Write(MB/s)', 1.0 / 1048576),
        ('SOC_BANDWIDTH_LEVEL', 'l2BufferBwLevel', 'Stars Soc Info', 'NPU', 25, 'L2 Buffer Bw Level',
            'L2 Buffer Bw Level', 1.0),
        ('SOC_BANDWIDTH_LEVEL', 'mataBwLevel', 'Stars Soc Info', 'NPU', 25, 'Mata Bw Level', 'Mata Bw Level', 1.0),
        ('LLC', 'read hitRate', 'LLC', 'NPU', 27, 'LLC # Read/Hit Rate', 'Hit Rate(%)', 0.01),
        ('LLC', 'write hitRate', 'LLC', 'NPU', 27, 'LLC # Write/Hit Rate', 'Hit Rate(%)', 0.01),
        ('LLC', 'read throughput', 'LLC', 'NPU', 27, 'LLC # Read/Throughput', 'Throughput(MB/s)', 1.0 / 1048576),
        ('LLC', 'write throughput', 'LLC', 'NPU', 27, 'LLC # Write/Throughput', 'Throughput(MB/s)', 1.0 / 1048576)
)
SELECT
    c.id AS counter_id, c.rank_id, c.family, p.process, p.label, p.sort_index,
    (r.pid * 1024 + p.sort_index * 32 | CASE p.label WHEN 'CPU' THEN 31 ELSE c.device_id END) & 4294967295 AS pid,
    CASE WHEN c.instance_no IS NULL THEN replace(replace(p.event, ' Die #', ''), '#', '0')
        ELSE replace(p.event, '#', c.instance_no) END AS event,
    p.series, p.factor
FROM counter c
JOIN place p ON p.family = c.family AND p.name = c.name
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
UNION ALL
SELECT
    c.id, c.rank_id, c.family, 'QoS', 'NPU', 29, (r.pid * 1024 + 29 * 32 | c.device_id) & 4294967295,
    c.name, coalesce('die ' || c.instance_no, 'value'), 1.0 / 1048576
FROM counter c
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
WHERE c.family = 'QOS';
