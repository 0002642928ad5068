CREATE VIEW trace_counter AS
-- Counters of hardware and host as counters of our own trace, each value in the unit its series names.
--
-- grain: counter_id, start_ns
-- uses:  counter, counter_sample, rank, trace_base
-- window: self start_ns end_ns
-- cols:
--   counter_id    -      [key] counter.id
--   rank_id       -      [key] rank
--   start_ns      ns     [key] time
--   end_ns        ns     [key] time
--   ph            text   C
--   name          text   family, instance, name and unit
--   pid           int    process
--   tid           int    0
--   ts            ns_us  time since the base
--   "args:value"  float  value
SELECT
    c.id AS counter_id, c.rank_id, s.time_ns AS start_ns, s.time_ns AS end_ns,
    'C' AS ph,
    c.family || coalesce(' ' || c.instance_no, '') || ' ' || c.name || ' (' || c.unit || ')' AS name,
    c.rank_id * 1000 + coalesce(c.device_id, (SELECT r.device_id FROM rank r WHERE r.id = c.rank_id), 0) * 10 + 7
        AS pid,
    0 AS tid,
    s.time_ns - (SELECT base_ns FROM trace_base) AS ts,
    s.value AS "args:value"
FROM counter c
CROSS JOIN counter_sample s ON s.counter_id = c.id
WHERE s.value IS NOT NULL;
