CREATE VIEW op_stack AS
-- Operators with the Python calls around them and what they cost themselves, as flame graphs need it.
--
-- grain: op_id
-- uses:  op, op_cost, stack_frame, string, rank
-- cols:
--   op_id           -     op.id
--   rank_id         -     rank
--   rank_no         -     its number in the job; none if unknown
--   op_name         text  operator
--   stack           text  calls, outermost first, joined by ';'
--   host_self_ns    ns    without the operators directly in it
--   device_self_ns  ns    sum of the kernels and copies that it launched itself
SELECT
    o.id AS op_id, o.rank_id, (SELECT rank_no FROM rank WHERE id = o.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = o.name_id) AS op_name,
    (
        SELECT group_concat(value, ';') FROM (
            SELECT trim(s.value) AS value FROM stack_frame AS f JOIN string AS s ON s.id = f.string_id
            WHERE f.stack_id = o.stack_id ORDER BY f.depth DESC)) AS stack,
    c.host_self_ns, c.device_self_ns
FROM op AS o JOIN op_cost AS c ON c.op_id = o.id
WHERE o.stack_id IS NOT NULL;
