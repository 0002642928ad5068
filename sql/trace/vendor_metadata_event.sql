CREATE VIEW vendor_metadata_event AS
-- Names, labels and sort indices of the vendor's processes and threads.
--
-- At Level0 the framework's prune list also hits the name of the process CANN, not its other records.  The framework's
-- own processes are not in msprof's trace.
--
-- grain: pid, tid, name, copy
-- uses:  vendor_process, vendor_thread, vendor_rank
-- cols:
--   rank_id           -     [key] rank
--   copy              -     [key] 2 = the second time
--   is_framework      -     [key] 1 = of a process that msprof's trace does not have
--   is_pruned         -     [key] 1 = left out of trace_view.json
--   ph                text  M
--   name              text  process_name, process_labels, process_sort_index, thread_name, thread_sort_index
--   pid               int   process
--   tid               int   thread, 0 for a process
--   "args:name"       text  name
--   "args:labels"     text  label
--   "args:sort_index" int   sort index
WITH event (name) AS (
    VALUES ('process_name'), ('process_labels'), ('process_sort_index'), ('thread_name'), ('thread_sort_index')
)
SELECT
    p.rank_id, p.copy, p.pid IN (r.pid, r.gc_pid) AS is_framework,
    r.is_pruned AND e.name = 'process_name' AND p.name = 'CANN' AS is_pruned, 'M' AS ph, e.name, p.pid, 0 AS tid,
    CASE e.name WHEN 'process_name' THEN p.name END AS "args:name",
    CASE e.name WHEN 'process_labels' THEN p.label END AS "args:labels",
    CASE e.name WHEN 'process_sort_index' THEN p.sort_index END AS "args:sort_index"
FROM vendor_process p
CROSS JOIN event e
JOIN vendor_rank r ON r.rank_id = p.rank_id
WHERE e.name GLOB 'process_*'
UNION ALL
SELECT
    t.rank_id, 1, t.pid IN (r.pid, r.gc_pid), 0, 'M', e.name, t.pid, t.tid,
    CASE e.name WHEN 'thread_name' THEN t.name END,
    NULL,
    CASE e.name WHEN 'thread_sort_index' THEN t.sort_index END
FROM vendor_thread t
CROSS JOIN event e
JOIN vendor_rank r ON r.rank_id = t.rank_id
WHERE e.name GLOB 'thread_*';
