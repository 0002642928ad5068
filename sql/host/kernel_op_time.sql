CREATE VIEW kernel_op_time AS
-- Which operator launched which kernels on each rank, and what they cost on the device.
--
-- A kernel belongs to the innermost operator around its launch.  Copies and collectives are not kernels: see op_time.
--
-- grain: rank_id, kernel_name, op_name, framework_op, module
-- uses:  device_task, kernel, op, op_framework, python_call, string, rank
-- cols:
--   rank_id       -      rank
--   rank_no       -      its number in the job; none if unknown
--   kernel_name   text   name as the device reported it
--   op_name       text   operator that launched it, such as aclnnMul; none if no operator was found
--   framework_op  text   framework operator behind that, such as aten::mul; see op_framework
--   module        text   module of the model the operator ran in, where recorded: with the operator, else the innermost
--                        `nn.Module: …` frame of the Python stack around it
--   calls         count  executions
--   total_ns      ns     sum of durations; overlapping kernels count twice
--   average_ns    ns     total / calls
--   longest_ns    ns     longest execution
--   share_ratio   ratio  total / total of all kernels of the rank
WITH launched AS (
    SELECT t.rank_id, t.op_id, k.name_id, count(*) AS calls, sum(t.end_ns - t.start_ns) AS total_ns,
        max(t.end_ns - t.start_ns) AS longest_ns
    FROM device_task AS t JOIN kernel AS k ON k.id = t.kernel_id
    WHERE k.is_schedule = 0
    GROUP BY t.rank_id, t.op_id, k.name_id
),
frame AS (  -- from the frames to the operators; SQLite takes name from the row that holds the maximum
    SELECT o.id AS op_id, max(p.depth), substr(s.value, 12) AS name
    FROM python_call AS p
    CROSS JOIN string AS s ON s.id = p.name_id
    CROSS JOIN op AS o ON o.rank_id = p.rank_id AND o.start_ns >= p.start_ns AND o.start_ns < p.end_ns
        AND o.thread_id = p.thread_id AND o.end_ns <= p.end_ns
    WHERE s.value >= 'nn.Module: ' AND s.value < 'nn.Module:!'
    GROUP BY o.id
),
placed AS (
    SELECT
        l.rank_id, l.name_id, o.name_id AS op_name_id, w.name_id AS framework_name_id,
        coalesce((SELECT value FROM string WHERE id = coalesce(o.module_id, w.module_id)), m.name) AS module,
        sum(l.calls) AS calls, sum(l.total_ns) AS total_ns, max(l.longest_ns) AS longest_ns
    FROM launched AS l
    LEFT JOIN op AS o ON o.id = l.op_id
    LEFT JOIN op_framework AS f ON f.op_id = l.op_id
    LEFT JOIN op AS w ON w.id = f.framework_op_id
    LEFT JOIN frame AS m ON m.op_id = l.op_id
    GROUP BY l.rank_id, l.name_id, o.name_id, w.name_id, module
)
SELECT
    p.rank_id, (SELECT rank_no FROM rank WHERE id = p.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = p.name_id) AS kernel_name,
    (SELECT value FROM string WHERE id = p.op_name_id) AS op_name,
    (SELECT value FROM string WHERE id = p.framework_name_id) AS framework_op, p.module, p.calls, p.total_ns,
    p.total_ns / p.calls AS average_ns, p.longest_ns,
    p.total_ns * 1.0 / nullif(sum(p.total_ns) OVER (PARTITION BY p.rank_id), 0) AS share_ratio
FROM placed AS p;
