CREATE VIEW comm_turn_named AS
-- Phases of collectives that the AI CPU drives, turn by turn.
--
-- grain: rank_id, device_id, stream_no, task_no, turn_no, name, start_ns
-- uses:  comm_turn, string
-- cols:
--   rank_id      -      rank it was recorded on
--   device_id    -      device number
--   start_ns     ns     start, Unix epoch
--   end_ns       ns     end, Unix epoch
--   duration_ns  ns     end - start
--   stream_no    -      stream of the kernel
--   task_no      -      task of the kernel
--   turn_no      -      turn
--   turn_count   count  turns of the kernel
--   size_bytes   bytes  bytes of the turn
--   name         text   phase: wait for message, algorithm, send tasks, run tasks, server (all of it), computing ...
SELECT
    t.rank_id, t.device_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.stream_no, t.task_no,
    t.turn_no, t.turn_count, t.size_bytes, (SELECT value FROM string WHERE id = t.name_id) AS name
FROM comm_turn AS t;
