CREATE VIEW data_queue_named AS
-- Uses of queues of input data by the AI CPU.
--
-- grain: id
-- uses:  data_queue, string
-- cols:
--   id         -     data_queue.id
--   rank_id    -     rank it was recorded on
--   device_id  -     device number
--   time_ns    ns    time of the record, Unix epoch
--   name       text  what was done, or the node that waited
--   source     text  queue; none where a node waited
--   index_no   -     number that the record gives: of the element, or the tag of the node
--   size       -     fill of the queue
--   start_us   us    start of the waiting on a clock of the AI CPU, us
--   end_us     us    its end on that clock, us
SELECT
    t.id, t.rank_id, t.device_id, t.time_ns, (SELECT value FROM string WHERE id = t.name_id) AS name,
    (SELECT value FROM string WHERE id = t.source_id) AS source, t.index_no, t.size, t.start_us, t.end_us
FROM data_queue AS t;
