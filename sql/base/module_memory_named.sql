CREATE VIEW module_memory_named AS
-- Memory that a CANN component has reserved over time.
--
-- grain: id
-- uses:  module_memory, string
-- cols:
--   id              -      module_memory.id
--   rank_id         -      rank it was recorded on
--   device_id       -      device number
--   module          text   SLOG, HCCL, RUNTIME ...
--   time_ns         ns     Unix epoch
--   reserved_bytes  bytes  reserved
SELECT
    t.id, t.rank_id, t.device_id, (SELECT value FROM string WHERE id = t.module_id) AS module, t.time_ns,
    t.reserved_bytes
FROM module_memory AS t;
