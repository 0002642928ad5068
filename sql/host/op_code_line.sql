CREATE VIEW op_code_line AS
-- The line of Python that called each operator: the innermost of its call stack, and the innermost own.
--
-- An operator without a stack of its own (a launch, an operator of the backward thread) has that of the nearest operator
-- around it that has one. There are none unless the profile was recorded with stacks.
--
-- grain: op_id
-- uses:  op, stack_line, string, rank
-- cols:
--   op_id       -     op.id
--   rank_id     -     rank
--   rank_no     -     its number in the job; none if unknown
--   op_name     text  its name
--   code_line   text  file(line): function; none if no stack was recorded
--   code_op_id  -     op.id of the operator whose stack it is
--   own_line    text  the same of the innermost frame outside of libraries (stack_line); none if there is none

-- A row is looked up on its own, so a few operators cost a few; the climb ends at the first stack.
-- What is around an operator has the smaller id; were it not so (check_parent), the climb might never end.
WITH found AS (
    SELECT
        o.id, o.rank_id, o.name_id,
        (
            WITH RECURSIVE around (id, parent_id, stack_id) AS (
                SELECT o.id, o.parent_id, o.stack_id
                UNION ALL
                SELECT p.id, p.parent_id, p.stack_id FROM around AS a JOIN op AS p ON p.id = a.parent_id
                WHERE a.stack_id IS NULL AND p.id < a.id)
            SELECT id FROM around WHERE stack_id IS NOT NULL) AS code_op_id
    FROM op AS o
)
SELECT
    f.id AS op_id, f.rank_id, (SELECT rank_no FROM rank WHERE id = f.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = f.name_id) AS op_name,
    (SELECT code_line FROM stack_line WHERE stack_id = (SELECT stack_id FROM op WHERE id = f.code_op_id)) AS code_line,
    f.code_op_id,
    (SELECT own_line FROM stack_line WHERE stack_id = (SELECT stack_id FROM op WHERE id = f.code_op_id)) AS own_line
FROM found AS f;
