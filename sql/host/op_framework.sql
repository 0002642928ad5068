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

-- A row is looked up on its own, so a few operators cost a few; the climb ends at the first name with a namespace.
WITH found AS (
    SELECT
        o.id, o.rank_id, o.name_id,
        coalesce((
            WITH RECURSIVE around (id, parent_id, is_found) AS (
                SELECT o.id, o.parent_id, (SELECT instr(value, '::') FROM string WHERE id = o.name_id)
                UNION ALL
                SELECT p.id, p.parent_id, (SELECT instr(value, '::') FROM string WHERE id = p.name_id)
                FROM around AS a JOIN op AS p ON p.id = a.parent_id
                WHERE a.is_found = 0)
            SELECT id FROM around WHERE is_found > 0), o.id) AS framework_op_id
    FROM op AS o
)
SELECT
    f.id AS op_id, f.rank_id, (SELECT rank_no FROM rank WHERE id = f.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = f.name_id) AS op_name, f.framework_op_id,
    (SELECT s.value FROM op AS w JOIN string AS s ON s.id = w.name_id WHERE w.id = f.framework_op_id) AS framework_op
FROM found AS f;
