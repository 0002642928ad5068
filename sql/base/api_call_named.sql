CREATE VIEW api_call_named AS
-- CANN API calls with their names and levels.
--
-- grain: id
-- uses:  api_call, string, thread, step
-- cols:
--   id             -     api_call.id
--   rank_id        -     rank it was recorded on
--   start_ns       ns    start, Unix epoch
--   end_ns         ns    end, Unix epoch
--   duration_ns    ns    end - start
--   thread_id      -     thread.id
--   pid            -     process of the thread
--   tid            -     operating system's number of the thread
--   level          text  acl, model, node, communication, runtime or another
--   name_id        -     string.id of the name
--   name           text  API
--   connection_no  -     number that its device records carry
--   mode           text  kind of call: ACL_NN, launch, master ...; none for an acl call of a database
--   item           text  what it handles: an operator, a model; none for none, and if the source holds none
--   parent_id      -     api_call.id of the enclosing call
--   depth          -     number of enclosing calls
--   lane           -     0, or the extra lane where it nests
--   queue_task_id  -     queue_task.id whose dequeue contains it
--   op_id          -     op.id of the operator that made it
--   step_id        -     step.id
--   step_no        -     number of that step
SELECT
    t.id, t.rank_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.thread_id,
    (SELECT pid FROM thread WHERE id = t.thread_id) AS pid,
    (SELECT tid FROM thread WHERE id = t.thread_id) AS tid,
    (SELECT value FROM string WHERE id = t.level_id) AS level, t.name_id,
    (SELECT value FROM string WHERE id = t.name_id) AS name, t.connection_no,
    (
        SELECT m.value FROM string AS m
        WHERE m.id = coalesce(t.mode_id, iif(
            (SELECT value FROM string WHERE id = t.level_id) NOT IN ('acl', 'communication'), t.name_id, NULL))) AS mode,
    (SELECT value FROM string WHERE id = t.item_id) AS item, t.parent_id, t.depth, t.lane, t.queue_task_id,
    t.op_id, t.step_id, (SELECT step_no FROM step WHERE id = t.step_id) AS step_no
FROM api_call AS t;
