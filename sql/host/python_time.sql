CREATE VIEW python_time AS
-- Host time of each function of Python on each rank: order by self_ns for the dear ones.
--
-- C functions that Python calls are functions of their own; in the time of one that calls torch are its operators. There
-- are none unless the profile was recorded with stacks. All frames are read.
--
-- grain: rank_id, function
-- uses:  python_call, string, rank
-- cols:
--   rank_id   -      rank
--   rank_no   -      its number in the job; none if unknown
--   function  text   file(line): function, or nn.Module: class_k; without the addresses of objects
--   calls     count  how often it ran
--   total_ns  ns     sum of its calls; one inside another of the same function counts twice
--   self_ns   ns     without the calls directly in them
WITH called AS (
    SELECT rank_id, name_id, count(*) AS calls, sum(end_ns - start_ns) AS total_ns
    FROM python_call GROUP BY rank_id, name_id
),
inner AS (
    SELECT c.rank_id, p.name_id, sum(c.end_ns - c.start_ns) AS inner_ns
    FROM python_call AS c JOIN python_call AS p ON p.id = c.parent_id
    GROUP BY c.rank_id, p.name_id
),
named AS (  -- methods of every object have a name of their own
    SELECT
        c.rank_id, c.calls, c.total_ns, c.total_ns - coalesce(i.inner_ns, 0) AS self_ns,
        CASE instr(s.value, ' at 0x')
            WHEN 0 THEN s.value ELSE substr(s.value, 1, instr(s.value, ' at 0x') - 1) || '>' END AS function
    FROM called AS c
    LEFT JOIN inner AS i ON i.rank_id = c.rank_id AND i.name_id = c.name_id
    JOIN string AS s ON s.id = c.name_id
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = named.rank_id) AS rank_no, function, sum(calls) AS calls,
    sum(total_ns) AS total_ns, sum(self_ns) AS self_ns
FROM named GROUP BY rank_id, function;
