CREATE VIEW msprof_dp AS
-- dp.csv of msprof: what data preprocessing took from the queues of input data.
--
-- grain: data_queue_id
-- uses:  data_queue_named
-- file:  dp.csv
-- window: self start_ns end_ns
-- cols:
--   data_queue_id         -      [key] the record
--   rank_id               -      [key] rank
--   start_ns              ns     [key] time
--   end_ns                ns     [key] the same
--   Device_id             int    device
--   "Timestamp(us)"       stamp  time
--   Action                text   what was done
--   Source                text   queue
--   "Cached Buffer Size"  int    fill of the queue

-- Source: the columns are those of the vendor's public parser.
SELECT
    q.id AS data_queue_id,
    q.rank_id,
    q.time_ns AS start_ns,
    q.time_ns AS end_ns,
    q.device_id AS Device_id,
    printf('%d.%03d', q.time_ns / 1000, q.time_ns % 1000) AS "Timestamp(us)",
    q.name AS Action,
    q.source AS Source,
    q.size AS "Cached Buffer Size"
FROM data_queue_named q
WHERE q.start_us IS NULL
ORDER BY q.rank_id, q.time_ns, q.id;
