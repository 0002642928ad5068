CREATE VIEW export_api_statistic AS
-- api_statistic.csv: host time by CANN level and call.
--
-- As msprof writes it, from Level1 on.
--
-- grain: rank_id, Level, "API Name"
-- uses:  msprof_api_statistic, rank_level
-- file:  api_statistic.csv
-- window: api_call start_ns end_ns
-- cols:
--   rank_id     -      [key] rank
--   Device_id   text   the word host
--   Level       text   acl, model, node, communication or runtime
--   "API Name"  text   call
--   "Time(us)"  trim3  sum of the durations
--   Count       int    calls
--   "Avg(us)"   trim3  mean
--   "Min(us)"   trim3  shortest
--   "Max(us)"   trim3  longest
--   Variance    trim3  in us squared
SELECT
    m.rank_id, m.Device_id, m.Level, m."API Name", m."Time(us)", m.Count, m."Avg(us)", m."Min(us)", m."Max(us)",
    m.Variance
FROM msprof_api_statistic m
WHERE m.rank_id IN (SELECT rank_id FROM rank_level WHERE level_no >= 1)
ORDER BY m.rank_id, m."API Name", m.Level;
