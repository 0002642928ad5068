CREATE VIEW busy_kind AS
-- Kinds of busy intervals that each device has: from here their index serves a window of time.
--
-- grain: rank_id, device_id, kind
-- uses:  busy_total
-- cols:
--   rank_id    -  rank it was recorded on
--   device_id  -  device number
--   kind       -  0 computing, 1 communication, 2 communication not overlapped, 3 free
SELECT DISTINCT rank_id, device_id, kind FROM busy_total;
