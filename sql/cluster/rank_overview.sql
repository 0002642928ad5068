CREATE VIEW rank_overview AS
-- What each rank recorded: where, with what, when, and how complete.
--
-- grain: rank_id
-- uses:  rank, run, step, issue, source
-- cols:
--   run_id             -      run.id
--   run_name           text   name of the run
--   run_path           text   folder that its rank directories share; " (2)" after it: second profiles of its ranks
--   rank_id            -      rank.id
--   rank_no            -      rank in the job; none if unknown
--   rank_origin        text   what told the rank
--   directory          text   run directory, as exports name it
--   device_id          -      device; none if no device was recorded
--   chip_name          text   chip
--   is_simulated       -      1 = recorded on a simulated device
--   host_name          text   host
--   pid                -      process
--   level              text   profiling level
--   framework_version  text   torch_npu; torch of recordings of npuwh
--   cann_version       text   CANN
--   schema_version     text   of the database it came from
--   input_kind         text   what was read
--   session_start_ns   ns     start of the collection, Unix epoch
--   session_end_ns     ns     end of the collection, Unix epoch
--   step_count         count  steps
--   source_count       count  input files
--   left_count         count  input files left out: another form of the same data was used, or reading failed
--   record_count       count  records of the files used
--   rejected_count     count  records of them that were rejected, those that other tools had added among them
--   lost_count         count  of the rejected those that are a loss, see check_rejected
--   error_count        count  issues of severity error
--   warning_count      count  issues of severity warning
SELECT
    r.run_id, u.name AS run_name, u.path AS run_path, r.id AS rank_id, r.rank_no, r.rank_origin, r.directory, r.device_id,
    r.chip_name, r.is_simulated, r.host_name, r.pid, r.level, r.framework_version, r.cann_version, r.schema_version,
    r.input_kind, r.session_start_ns, r.session_end_ns,
    (SELECT count(*) FROM step WHERE rank_id = r.id) AS step_count,
    (SELECT count(*) FROM source WHERE rank_id = r.id) AS source_count,
    (SELECT count(*) FROM source WHERE rank_id = r.id AND state <> 'used') AS left_count,
    (SELECT coalesce(sum(record_count), 0) FROM source WHERE rank_id = r.id AND state = 'used') AS record_count,
    (SELECT coalesce(sum(rejected_count), 0) FROM source WHERE rank_id = r.id AND state = 'used') AS rejected_count,
    (SELECT coalesce(sum(rejected_count), 0) FROM source WHERE rank_id = r.id AND state = 'used') - (
        SELECT coalesce(sum(i.rejected_count), 0) FROM issue AS i JOIN source AS s ON s.id = i.source_id
        WHERE s.rank_id = r.id AND s.state = 'used' AND i.severity = 'info') AS lost_count,
    (SELECT count(*) FROM issue WHERE rank_id = r.id AND severity = 'error') AS error_count,
    (SELECT count(*) FROM issue WHERE rank_id = r.id AND severity = 'warning') AS warning_count
FROM rank AS r JOIN run AS u ON u.id = r.run_id;
