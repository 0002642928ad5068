CREATE VIEW counter_sample_named AS
-- Samples of hardware and host counters, with what was counted.
--
-- grain: counter_id, time_ns
-- uses:  counter_sample, counter
-- cols:
--   counter_id   -     counter.id
--   rank_id      -     rank it was recorded on
--   device_id    -     device number
--   family       text  HBM, LLC, NIC ...
--   instance_no  -     which of several
--   name         text  what is counted
--   unit         text  unit of the value
--   time_ns      ns    Unix epoch
--   value        -     in that unit
SELECT
    t.counter_id, c.rank_id AS rank_id, c.device_id AS device_id, c.family AS family,
    c.instance_no AS instance_no, c.name AS name, c.unit AS unit, t.time_ns, t.value
FROM counter AS c JOIN counter_sample AS t ON t.counter_id = c.id;
