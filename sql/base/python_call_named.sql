CREATE VIEW python_call_named AS
-- Python frames with their names.
--
-- grain: id
-- uses:  python_call, string, thread, step
-- cols:
--   id              -     python_call.id
--   rank_id         -     rank it was recorded on
--   start_ns        ns    start, Unix epoch
--   end_ns          ns    end, Unix epoch
--   duration_ns     ns    end - start
--   thread_id       -     thread.id
--   pid             -     process of the thread
--   tid             -     operating system's number of the thread
--   name_id         -     string.id of the name
--   name            text  function, or nn.Module: class_k
--   module          text  module hierarchy
--   parent_id       -     python_call.id of the calling frame
--   depth           -     number of calling frames
--   step_id         -     step.id
--   step_no         -     number of that step
--   lane            -     0, or the extra lane where it nests
--   frame_no        -     number the tracer gave it on its thread
--   outer_frame_no  -     that of the frame around it; 0 = none
SELECT
    t.id, t.rank_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.thread_id,
    (SELECT pid FROM thread WHERE id = t.thread_id) AS pid,
    (SELECT tid FROM thread WHERE id = t.thread_id) AS tid, t.name_id,
    (SELECT value FROM string WHERE id = t.name_id) AS name,
    (SELECT value FROM string WHERE id = t.module_id) AS module, t.parent_id, t.depth, t.step_id,
    (SELECT step_no FROM step WHERE id = t.step_id) AS step_no, t.lane, t.frame_no, t.outer_frame_no
FROM python_call AS t;
