CREATE VIEW rank_named AS
-- Ranks with the runs they belong to.
--
-- grain: id
-- uses:  rank, run
-- cols:
--   id                -     rank.id
--   run_id            -     run.id
--   run_name          text  name of the run
--   rank_no           -     rank in the job
--   device_id         -     device number
--   host_name         text  host
--   pid               -     process
--   level             text  profiling level
--   chip_name         text  chip
--   session_start_ns  ns    start of the collection, Unix epoch
--   session_end_ns    ns    end of the collection, Unix epoch
--   directory         text  run directory, as exports name it
--   is_simulated      -     1 = recorded on a simulated device
SELECT
    t.id, t.run_id, (SELECT name FROM run WHERE id = t.run_id) AS run_name, t.rank_no, t.device_id,
    t.host_name, t.pid, t.level, t.chip_name, t.session_start_ns, t.session_end_ns, t.directory,
    t.is_simulated
FROM rank AS t;
