CREATE VIEW vendor_overlap_slice AS
-- Overlap analysis in the vendor's trace: one thread a kind of interval.
--
-- grain: id
-- uses:  device, busy_interval, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   id        -      [key] busy_interval.id
--   rank_id   -      [key] rank
--   step_id   -      [key] step
--   start_ns  ns     [key] start
--   end_ns    ns     [key] end
--   device_id -      [key] device
--   kind      -      [key] kind of interval
--   ph        text   X
--   name      text   Computing, Communication, Communication(Not Overlapped), Free
--   pid       int    packed process
--   tid       int    0 to 3, the kind
--   ts        stamp  start
--   dur       float  us

-- Device and kind drive the search, so that the index on (rank, device, kind, start) serves a window.
WITH kind (kind, name) AS (
    VALUES (0, 'Computing'), (1, 'Communication'), (2, 'Communication(Not Overlapped)'), (3, 'Free')
)
SELECT
    b.id, b.rank_id, b.step_id, b.start_ns, b.end_ns, d.device_id, k.kind,
    'X' AS ph,
    k.name,
    (r.pid * 1024 + 31 * 32 | b.device_id) & 4294967295 AS pid,
    b.kind AS tid,
    b.start_ns AS ts,
    (b.end_ns - b.start_ns) / 1000.0 AS dur
FROM device d
CROSS JOIN kind k
CROSS JOIN busy_interval b ON b.rank_id = d.rank_id AND b.device_id = d.device_id AND b.kind = k.kind
LEFT JOIN vendor_rank r ON r.rank_id = b.rank_id
ORDER BY b.rank_id, d.device_id, k.kind, b.start_ns, b.id;
