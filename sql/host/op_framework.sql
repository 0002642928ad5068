CREATE VIEW op_framework AS
-- The framework operator behind each operator: aten::mul behind the aclnnMul that it calls.
--
-- It is the nearest operator, the operator itself or one around it on its thread, whose name has a namespace, that is,
-- holds "::" (aten::mul, npu::npu_dtype_cast, c10d::allreduce_, torch::autograd::AccumulateGrad). Names of launches
-- (aclnnMul, Conv2D, HcclAllreduce, record_event) have none. An operator that has no such name around it is its own.
--
-- grain: op_id
-- uses:  op, string, rank
-- cols:
--   op_id            -     op.id
--   rank_id          -     rank
--   rank_no          -     its number in the job; none if unknown
--   op_name          text  its name
--   framework_op_id  -     op.id of the framework operator
--   framework_op     text  its name
SELECT
    o.id AS op_id, o.rank_id, (SELECT rank_no FROM rank WHERE id = o.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = o.name_id) AS op_name, coalesce(o.framework_op_id, o.id) AS framework_op_id,
    (
        SELECT s.value FROM op AS f JOIN string AS s ON s.id = f.name_id
        WHERE f.id = coalesce(o.framework_op_id, o.id)) AS framework_op
FROM op AS o;
