CREATE VIEW op_named AS
-- Framework operators with their texts.
--
-- grain: id
-- uses:  op, string, thread, step, stack_frame
-- cols:
--   id                 -     op.id
--   rank_id            -     rank it was recorded on
--   start_ns           ns    start, Unix epoch
--   end_ns             ns    end, Unix epoch
--   duration_ns        ns    end - start
--   thread_id          -     thread.id
--   pid                -     process of the thread
--   tid                -     operating system's number of the thread
--   is_dequeue         -     1 = the thread takes work from the task queue
--   name_id            -     string.id of the name
--   name               text  operator, or ProfilerStep#N
--   sequence_no        -     pairs a backward operator with its forward one
--   forward_thread_no  -     thread of the forward operator, 0 in forward
--   shapes             text  input shapes
--   dtypes             text  input types
--   stack_id           -     stack_frame.stack_id
--   call_stack         text  frames, innermost first, each ended by ';' CR LF but the last
--   module             text  module hierarchy
--   parent_id          -     op.id of the enclosing operator on its thread
--   depth              -     number of enclosing operators
--   step_id            -     step.id
--   step_no            -     number of that step
--   lane               -     0, or the extra lane where it nests

-- A name is looked up only where a query uses it: a column that is not used costs nothing.
SELECT
    t.id, t.rank_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.thread_id,
    (SELECT pid FROM thread WHERE id = t.thread_id) AS pid,
    (SELECT tid FROM thread WHERE id = t.thread_id) AS tid,
    (SELECT is_dequeue FROM thread WHERE id = t.thread_id) AS is_dequeue, t.name_id,
    (SELECT value FROM string WHERE id = t.name_id) AS name, t.sequence_no, t.forward_thread_no,
    (SELECT value FROM string WHERE id = t.shapes_id) AS shapes,
    (SELECT value FROM string WHERE id = t.dtypes_id) AS dtypes, t.stack_id,
    (
        SELECT group_concat(value, char(59, 13, 10)) FROM (
            SELECT s.value FROM stack_frame AS f JOIN string AS s ON s.id = f.string_id
            WHERE f.stack_id = t.stack_id ORDER BY f.depth)) AS call_stack,
    (SELECT value FROM string WHERE id = t.module_id) AS module, t.parent_id, t.depth, t.step_id,
    (SELECT step_no FROM step WHERE id = t.step_id) AS step_no, t.lane
FROM op AS t;
