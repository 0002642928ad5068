CREATE VIEW msprof_api_statistic AS
-- api_statistic.csv of msprof: host time by CANN level and call.
--
-- The variance is that of the population around the mean as it is written, rounded to 3 decimals; durations are whole
-- ns, so their us text is exact.
--
-- grain: rank_id, Level, "API Name"
-- uses:  api_call, string
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

-- Source: deliverables.md section 5.
WITH part AS (
    SELECT
        a.rank_id, a.level_id, a.name_id, count(*) AS calls, sum(a.end_ns - a.start_ns) AS total_ns,
        CAST(round(sum(a.end_ns - a.start_ns) * 1.0 / count(*)) AS INTEGER) AS mean_ns,
        min(a.end_ns - a.start_ns) AS min_ns, max(a.end_ns - a.start_ns) AS max_ns
    FROM api_call a
    GROUP BY a.rank_id, a.level_id, a.name_id
),
spread AS (
    SELECT
        a.rank_id, a.level_id, a.name_id,
        avg(((a.end_ns - a.start_ns - p.mean_ns) / 1000.0) * ((a.end_ns - a.start_ns - p.mean_ns) / 1000.0)) AS variance
    FROM api_call a
    JOIN part p ON p.rank_id = a.rank_id AND p.level_id = a.level_id AND p.name_id = a.name_id
    GROUP BY a.rank_id, a.level_id, a.name_id
)
SELECT
    p.rank_id,
    'host' AS Device_id,
    le.value AS Level,
    na.value AS "API Name",
    p.total_ns / 1000.0 AS "Time(us)",
    p.calls AS Count,
    p.mean_ns / 1000.0 AS "Avg(us)",
    p.min_ns / 1000.0 AS "Min(us)",
    p.max_ns / 1000.0 AS "Max(us)",
    s.variance AS Variance
FROM part p
JOIN spread s ON s.rank_id = p.rank_id AND s.level_id = p.level_id AND s.name_id = p.name_id
JOIN string le ON le.id = p.level_id
JOIN string na ON na.id = p.name_id
ORDER BY p.rank_id, na.value, le.value;
