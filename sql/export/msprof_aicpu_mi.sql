CREATE VIEW msprof_aicpu_mi AS
-- aicpu_mi.csv of msprof: nodes that waited for the queues of input data.
--
-- Start and end are on a clock of the AI CPU.
--
-- grain: data_queue_id
-- uses:  data_queue_named
-- file:  aicpu_mi.csv
-- window: self start_ns end_ns
-- cols:
--   data_queue_id     -     [key] the record
--   rank_id           -     [key] rank
--   start_ns          ns    [key] time of the record
--   end_ns            ns    [key] the same
--   Device_id         int   device
--   "Node Name"       text  node; empty if it is not known
--   "Start Time(us)"  int   start of the waiting
--   "End Time(us)"    int   end of the waiting
--   "Queue Size"      int   fill of the queue

-- Source: the columns are those of the vendor's public parser.
SELECT
    q.id AS data_queue_id,
    q.rank_id,
    q.time_ns AS start_ns,
    q.time_ns AS end_ns,
    q.device_id AS Device_id,
    q.name AS "Node Name",
    q.start_us AS "Start Time(us)",
    q.end_us AS "End Time(us)",
    q.size AS "Queue Size"
FROM data_queue_named q
WHERE q.start_us IS NOT NULL
ORDER BY q.rank_id, q.start_us, q.id;
