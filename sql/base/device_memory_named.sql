CREATE VIEW device_memory_named AS
-- Memory of the device over time, of this process (app) and of all (device).
--
-- grain: id
-- uses:  device_memory, string
-- cols:
--   id         -      device_memory.id
--   rank_id    -      rank it was recorded on
--   device_id  -      device number
--   scope      text   app or device
--   time_ns    ns     Unix epoch
--   ddr_bytes  bytes  DDR in use
--   hbm_bytes  bytes  HBM in use
SELECT
    t.id, t.rank_id, t.device_id, (SELECT value FROM string WHERE id = t.scope_id) AS scope, t.time_ns,
    t.ddr_bytes, t.hbm_bytes
FROM device_memory AS t;
