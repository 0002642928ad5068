CREATE VIEW vendor_comm_op_slice AS
-- Communication operations in the vendor's trace, on the thread of their group.
--
-- grain: id
-- uses:  comm_op_named, vendor_comm_group, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   id                    -      [key] comm_op.id
--   rank_id               -      [key] rank
--   step_id               -      [key] step
--   start_ns              ns     [key] start
--   end_ns                ns     [key] end
--   ph                    text   X
--   name                  text   operation
--   pid                   int    packed process
--   tid                   int    thread of the group
--   ts                    stamp  start
--   dur                   float  us
--   "args:rank_size"      int    ranks in the group
--   "args:connection_id"  json   number of the launch; the largest of 64 bits = none
--   "args:model id"       int    graph
--   "args:data_type"      text   type of the elements
--   "args:alg_type"       text   algorithm
--   "args:count"          int    elements
--   "args:relay"          text   yes or no
--   "args:retry"          text   yes or no
SELECT
    o.id, o.rank_id, o.step_id, o.start_ns, o.end_ns,
    'X' AS ph,
    o.name,
    (r.pid * 1024 + 16 * 32 | coalesce(o.device_id, r.device_id)) & 4294967295 AS pid,
    coalesce(g.tid, 0) AS tid,
    o.start_ns AS ts,
    o.duration_ns / 1000.0 AS dur,
    coalesce(o.rank_count, 0) AS "args:rank_size",
    coalesce(CAST(o.connection_no AS TEXT), '18446744073709551615') AS "args:connection_id",
    coalesce(o.model_no, 4294967295) AS "args:model id",
    coalesce(o.data_type, 'N/A') AS "args:data_type",
    coalesce(o.algorithm, 'N/A') AS "args:alg_type",
    coalesce(o.element_count, 0) AS "args:count",
    CASE o.is_relay WHEN 1 THEN 'yes' ELSE 'no' END AS "args:relay",
    CASE o.is_retry WHEN 1 THEN 'yes' ELSE 'no' END AS "args:retry"
FROM comm_op_named o
LEFT JOIN vendor_rank r ON r.rank_id = o.rank_id
LEFT JOIN vendor_comm_group g ON g.comm_group_id = o.comm_group_id
ORDER BY o.rank_id, o.start_ns, o.id;
