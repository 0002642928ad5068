CREATE VIEW vendor_link_counter AS
-- PCIe and links between chips in the vendor's trace: both directions, or link and value, in one event.
--
-- grain: rank_id, pid, name, start_ns, link_no
-- uses:  counter, counter_sample, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   rank_id             -      [key] rank
--   link_no             -      [key] link between chips
--   start_ns            ns     [key] time
--   end_ns              ns     [key] time
--   ph                  text   C
--   name                text   PCIe_post, PA Link Rx ...
--   pid                 int    packed process
--   tid                 int    0, or a number of the kind of link
--   ts                  stamp  time
--   "args:Tx"           float  MB/s of 1024, or us of latency
--   "args:Rx"           float  MB/s of 1024
--   "args:PA Link ID"   int    link between chips
--   "args:PCIE ID"      int    link to the host
--   "args:value"        float  as recorded

-- Source: deliverables.md 1.1, 1.8; names and thread numbers of links between chips: the vendor's public parser, which
-- shows those of PCIe only beside others.
WITH direction (event, sent, received, factor) AS (
    VALUES
        ('PCIe_cpl', 'txCplAvg', 'rxCplAvg', 1.0 / 1048576),
        ('PCIe_nonpost', 'txNonpostAvg', 'rxNonpostAvg', 1.0 / 1048576),
        ('PCIe_nonpost_latency', 'txNonpostLatencyAvg', NULL, 0.001),
        ('PCIe_post', 'txPostAvg', 'rxPostAvg', 1.0 / 1048576)
),
link (family, name, event, tid) AS (
    VALUES
        ('PA_LINK', 'rx', 'PA Link Rx', 111111), ('PA_LINK', 'tx', 'PA Link Tx', 111111),
        ('CHIP_PCIE', 'readBandwidth', 'PCIE Read Bandwidth', 100010),
        ('CHIP_PCIE', 'writeBandwidth', 'PCIE Write Bandwidth', 100010)
)
SELECT
    c.rank_id, NULL AS link_no, s.time_ns AS start_ns, s.time_ns AS end_ns, 'C' AS ph, d.event AS name,
    (r.pid * 1024 + 23 * 32 | c.device_id) & 4294967295 AS pid, 0 AS tid, s.time_ns AS ts,
    s.value * d.factor AS "args:Tx", coalesce(b.value * d.factor, 0) AS "args:Rx", NULL AS "args:PA Link ID",
    NULL AS "args:PCIE ID", NULL AS "args:value"
FROM direction d
CROSS JOIN counter c ON c.family = 'PCIE' AND c.name = d.sent
LEFT JOIN counter o
    ON o.family = 'PCIE' AND o.name = d.received AND o.rank_id = c.rank_id AND o.device_id = c.device_id
CROSS JOIN counter_sample s ON s.counter_id = c.id
LEFT JOIN counter_sample b ON b.counter_id = o.id AND b.time_ns = s.time_ns
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
WHERE s.value IS NOT NULL
UNION ALL
SELECT
    c.rank_id, c.instance_no, s.time_ns, s.time_ns, 'C', l.event,
    (r.pid * 1024 + 26 * 32 | c.device_id) & 4294967295, l.tid, s.time_ns, NULL, NULL,
    CASE c.family WHEN 'PA_LINK' THEN c.instance_no END, CASE c.family WHEN 'CHIP_PCIE' THEN c.instance_no END, s.value
FROM link l
CROSS JOIN counter c ON c.family = l.family AND c.name = l.name
CROSS JOIN counter_sample s ON s.counter_id = c.id
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
WHERE s.value IS NOT NULL AND (c.rank_id, c.device_id) IN (
    SELECT rank_id, device_id FROM counter WHERE family = 'PA_LINK');
