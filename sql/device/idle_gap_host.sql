CREATE VIEW idle_gap_host AS
-- What the host did while a device was idle: its operators, calls, Python frames and collections.
--
-- A stack has a row for each of its frames.  self_inside_ns is what each did itself, without the frames in it: order by
-- it, or take depth = 0 for the outermost ones.  Ask this view with conditions on idle_gap, such as the longest gaps.
-- Of the slices that began before the gap only the latest 20 of each kind are looked at, so that the cost is bounded.
--
-- grain: idle_gap_id, kind, slice_id
-- uses:  busy_interval, op, api_call, python_call, gc_event, string, rank
-- cols:
--   idle_gap_id     -    busy_interval.id of the gap
--   rank_id         -    rank
--   rank_no         -    its number in the job; none if unknown
--   gap_ns          ns   length of the gap
--   kind            text op, api_call, python_call or gc
--   slice_id        -    id in that table
--   name            text operator, call or function
--   thread_id       -    thread it ran on
--   depth           -    number of slices of its kind around it
--   start_ns        ns   start
--   end_ns          ns   end
--   inside_ns       ns   part of it that lies in the gap
--   self_inside_ns  ns   of that, without the slices of its kind directly in it

-- Where to begin in each table, so that a stack that was open before the gap is met; a few gaps cost a few.
WITH gap AS NOT MATERIALIZED (
    SELECT
        i.id, i.rank_id, i.start_ns, i.end_ns,
        coalesce((
            SELECT b.start_ns FROM op AS b
            WHERE b.rank_id = i.rank_id AND b.start_ns < i.start_ns ORDER BY b.start_ns DESC LIMIT 1 OFFSET 19
        ), 0) AS op_ns,
        coalesce((
            SELECT b.start_ns FROM api_call AS b
            WHERE b.rank_id = i.rank_id AND b.start_ns < i.start_ns ORDER BY b.start_ns DESC LIMIT 1 OFFSET 19
        ), 0) AS api_call_ns,
        coalesce((
            SELECT b.start_ns FROM python_call AS b
            WHERE b.rank_id = i.rank_id AND b.start_ns < i.start_ns ORDER BY b.start_ns DESC LIMIT 1 OFFSET 19
        ), 0) AS python_call_ns
    FROM busy_interval AS i
    WHERE i.kind = 3
),
slice AS (
    SELECT
        g.id AS gap_id, 'op' AS kind, s.id, s.name_id, s.thread_id, s.depth, s.start_ns, s.end_ns, g.op_ns AS from_ns
    FROM gap AS g JOIN op AS s ON s.rank_id = g.rank_id AND s.start_ns >= g.op_ns AND s.start_ns < g.end_ns
        AND (s.end_ns > g.start_ns OR s.start_ns >= g.start_ns)
    UNION ALL
    SELECT g.id, 'api_call', s.id, s.name_id, s.thread_id, s.depth, s.start_ns, s.end_ns, g.api_call_ns
    FROM gap AS g JOIN api_call AS s ON s.rank_id = g.rank_id AND s.start_ns >= g.api_call_ns AND s.start_ns < g.end_ns
        AND (s.end_ns > g.start_ns OR s.start_ns >= g.start_ns)
    UNION ALL
    SELECT g.id, 'python_call', s.id, s.name_id, s.thread_id, s.depth, s.start_ns, s.end_ns, g.python_call_ns
    FROM gap AS g JOIN python_call AS s ON s.rank_id = g.rank_id AND s.start_ns >= g.python_call_ns AND s.start_ns < g.end_ns
        AND (s.end_ns > g.start_ns OR s.start_ns >= g.start_ns)
    UNION ALL
    SELECT g.id, 'gc', e.id, NULL, e.thread_id, 0, e.start_ns, e.end_ns, 0
    FROM gap AS g JOIN gc_event AS e ON e.rank_id = g.rank_id AND e.start_ns < g.end_ns AND e.end_ns > g.start_ns
)
SELECT
    l.gap_id AS idle_gap_id, g.rank_id, (SELECT rank_no FROM rank WHERE id = g.rank_id) AS rank_no,
    g.end_ns - g.start_ns AS gap_ns, l.kind, l.id AS slice_id,
    coalesce((SELECT value FROM string WHERE id = l.name_id), 'GC') AS name, l.thread_id, l.depth, l.start_ns, l.end_ns,
    min(l.end_ns, g.end_ns) - max(l.start_ns, g.start_ns) AS inside_ns,
    min(l.end_ns, g.end_ns) - max(l.start_ns, g.start_ns) - coalesce(CASE l.kind
        WHEN 'op' THEN (
            SELECT sum(min(c.end_ns, g.end_ns) - max(c.start_ns, g.start_ns)) FROM op AS c
            WHERE c.rank_id = g.rank_id AND c.start_ns >= max(l.start_ns, l.from_ns) AND c.start_ns < min(l.end_ns, g.end_ns)
                AND c.end_ns > g.start_ns AND c.parent_id = l.id)
        WHEN 'api_call' THEN (
            SELECT sum(min(c.end_ns, g.end_ns) - max(c.start_ns, g.start_ns)) FROM api_call AS c
            WHERE c.rank_id = g.rank_id AND c.start_ns >= max(l.start_ns, l.from_ns) AND c.start_ns < min(l.end_ns, g.end_ns)
                AND c.end_ns > g.start_ns AND c.parent_id = l.id)
        WHEN 'python_call' THEN (
            SELECT sum(min(c.end_ns, g.end_ns) - max(c.start_ns, g.start_ns)) FROM python_call AS c
            WHERE c.rank_id = g.rank_id AND c.start_ns >= max(l.start_ns, l.from_ns) AND c.start_ns < min(l.end_ns, g.end_ns)
                AND c.end_ns > g.start_ns AND c.parent_id = l.id)
        END, 0) AS self_inside_ns
FROM slice AS l JOIN busy_interval AS g ON g.id = l.gap_id;
