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
WITH slice AS (
    SELECT g.id AS gap_id, 'op' AS kind, o.id, o.name_id, o.thread_id, o.depth, o.start_ns, o.end_ns
    FROM busy_interval AS g JOIN op AS o ON o.rank_id = g.rank_id AND o.start_ns >= g.start_ns AND o.start_ns < g.end_ns
    WHERE g.kind = 3
    UNION ALL
    SELECT g.id, 'op', o.id, o.name_id, o.thread_id, o.depth, o.start_ns, o.end_ns
    FROM busy_interval AS g JOIN op AS o ON o.end_ns > g.start_ns AND o.id IN (
        SELECT b.id FROM op AS b
        WHERE b.rank_id = g.rank_id AND b.start_ns < g.start_ns ORDER BY b.start_ns DESC LIMIT 20)
    WHERE g.kind = 3
    UNION ALL
    SELECT g.id, 'api_call', a.id, a.name_id, a.thread_id, a.depth, a.start_ns, a.end_ns
    FROM busy_interval AS g
    JOIN api_call AS a ON a.rank_id = g.rank_id AND a.start_ns >= g.start_ns AND a.start_ns < g.end_ns
    WHERE g.kind = 3
    UNION ALL
    SELECT g.id, 'api_call', a.id, a.name_id, a.thread_id, a.depth, a.start_ns, a.end_ns
    FROM busy_interval AS g JOIN api_call AS a ON a.end_ns > g.start_ns AND a.id IN (
        SELECT b.id FROM api_call AS b
        WHERE b.rank_id = g.rank_id AND b.start_ns < g.start_ns ORDER BY b.start_ns DESC LIMIT 20)
    WHERE g.kind = 3
    UNION ALL
    SELECT g.id, 'python_call', p.id, p.name_id, p.thread_id, p.depth, p.start_ns, p.end_ns
    FROM busy_interval AS g
    JOIN python_call AS p ON p.rank_id = g.rank_id AND p.start_ns >= g.start_ns AND p.start_ns < g.end_ns
    WHERE g.kind = 3
    UNION ALL
    SELECT g.id, 'python_call', p.id, p.name_id, p.thread_id, p.depth, p.start_ns, p.end_ns
    FROM busy_interval AS g JOIN python_call AS p ON p.end_ns > g.start_ns AND p.id IN (
        SELECT b.id FROM python_call AS b
        WHERE b.rank_id = g.rank_id AND b.start_ns < g.start_ns ORDER BY b.start_ns DESC LIMIT 20)
    WHERE g.kind = 3
    UNION ALL
    SELECT g.id, 'gc', e.id, NULL, e.thread_id, 0, e.start_ns, e.end_ns
    FROM busy_interval AS g JOIN gc_event AS e ON e.rank_id = g.rank_id AND e.start_ns < g.end_ns AND e.end_ns > g.start_ns
    WHERE g.kind = 3
)
SELECT
    l.gap_id AS idle_gap_id, g.rank_id, (SELECT rank_no FROM rank WHERE id = g.rank_id) AS rank_no,
    g.end_ns - g.start_ns AS gap_ns, l.kind, l.id AS slice_id,
    coalesce((SELECT value FROM string WHERE id = l.name_id), 'GC') AS name, l.thread_id, l.depth, l.start_ns, l.end_ns,
    min(l.end_ns, g.end_ns) - max(l.start_ns, g.start_ns) AS inside_ns,
    min(l.end_ns, g.end_ns) - max(l.start_ns, g.start_ns) - coalesce(CASE l.kind
        WHEN 'op' THEN (
            SELECT sum(min(c.end_ns, g.end_ns) - max(c.start_ns, g.start_ns)) FROM op AS c
            WHERE c.parent_id = l.id AND c.end_ns > g.start_ns AND c.id IN (
                SELECT id FROM op WHERE rank_id = g.rank_id AND start_ns >= max(l.start_ns, g.start_ns)
                    AND start_ns < min(l.end_ns, g.end_ns)
                UNION ALL
                SELECT id FROM (
                    SELECT id FROM op WHERE rank_id = g.rank_id AND start_ns < g.start_ns AND l.start_ns < g.start_ns
                    ORDER BY start_ns DESC LIMIT 20)))
        WHEN 'api_call' THEN (
            SELECT sum(min(c.end_ns, g.end_ns) - max(c.start_ns, g.start_ns)) FROM api_call AS c
            WHERE c.parent_id = l.id AND c.end_ns > g.start_ns AND c.id IN (
                SELECT id FROM api_call WHERE rank_id = g.rank_id AND start_ns >= max(l.start_ns, g.start_ns)
                    AND start_ns < min(l.end_ns, g.end_ns)
                UNION ALL
                SELECT id FROM (
                    SELECT id FROM api_call WHERE rank_id = g.rank_id AND start_ns < g.start_ns AND l.start_ns < g.start_ns
                    ORDER BY start_ns DESC LIMIT 20)))
        WHEN 'python_call' THEN (
            SELECT sum(min(c.end_ns, g.end_ns) - max(c.start_ns, g.start_ns)) FROM python_call AS c
            WHERE c.parent_id = l.id AND c.end_ns > g.start_ns AND c.id IN (
                SELECT id FROM python_call WHERE rank_id = g.rank_id AND start_ns >= max(l.start_ns, g.start_ns)
                    AND start_ns < min(l.end_ns, g.end_ns)
                UNION ALL
                SELECT id FROM (
                    SELECT id FROM python_call WHERE rank_id = g.rank_id AND start_ns < g.start_ns AND l.start_ns < g.start_ns
                    ORDER BY start_ns DESC LIMIT 20)))
        END, 0) AS self_inside_ns
FROM slice AS l JOIN busy_interval AS g ON g.id = l.gap_id;
