CREATE VIEW vendor_launch_flow AS
-- Arrows of the vendor's trace from a CANN call to what it put on the device.
--
-- Each end has its event, met or not. A start: every node call, calls that record or wait for an event, calls behind an
-- asynchronous copy.  An end: every kernel, copy and communication operation, tasks of those event calls.  The id is
-- the connection << 32 as an unsigned number; 18446744069414584320 where there is no connection.
--
-- grain: part, record
-- uses:  api_call, device_task, comm_op, string, thread, vendor_comm_group, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   record         -      [key] id of the record at this end
--   part           -      [key] 0 calls, 1 tasks, 2 communication
--   rank_id        -      [key] rank
--   step_id        -      [key] step of this end
--   start_ns       ns     [key] start of this end
--   end_ns         ns     [key] end of this end
--   peer_start_ns  ns     [key] start of the other end; of a call: of its first task
--   peer_until_ns  ns     [key] its end, at least a ns after its start; of a call: of its last task
--   peer_step_id   -      [key] step of the other end; of a call: of its first task
--   ph             text   s or f
--   bp             text   e, at the end only
--   name           text   HostToDevice and the id
--   id             text   connection << 32
--   pid            int    packed process
--   tid            int    thread
--   ts             stamp  start of this end
--   cat            text   HostToDevice

-- Source: deliverables.md section 1.7.  The plus before start_ns keeps SQLite from looking for the smallest one along
-- the index on start.  A connection of up to 31 bits needs no unsigned number.
SELECT
    a.id AS record, 0 AS part, a.rank_id, a.step_id, a.start_ns, a.end_ns,
    (SELECT min(+t.start_ns) FROM device_task t WHERE t.rank_id = a.rank_id AND t.connection_no = a.connection_no)
        AS peer_start_ns,
    (SELECT max(max(t.end_ns, t.start_ns + 1)) FROM device_task t
     WHERE t.rank_id = a.rank_id AND t.connection_no = a.connection_no) AS peer_until_ns,
    (SELECT min(t.step_id) FROM device_task t WHERE t.rank_id = a.rank_id AND t.connection_no = a.connection_no)
        AS peer_step_id,
    's' AS ph, NULL AS bp,
    'HostToDevice' || iif(a.connection_no BETWEEN 0 AND 2147483647, a.connection_no << 32,
        printf('%u', a.connection_no << 32)) AS name,
    iif(a.connection_no BETWEEN 0 AND 2147483647, a.connection_no << 32, printf('%u', a.connection_no << 32)) AS id,
    r.cann_pid AS pid, coalesce((SELECT tid FROM thread WHERE id = a.thread_id), 0) AS tid, a.start_ns AS ts,
    'HostToDevice' AS cat
FROM api_call a
LEFT JOIN vendor_rank r ON r.rank_id = a.rank_id
WHERE a.level_id = (SELECT id FROM string WHERE value = 'node')
    OR a.name_id IN (SELECT id FROM string WHERE value IN ('aclrtRecordEvent', 'aclrtStreamWaitEvent'))
    OR EXISTS (
        SELECT 1 FROM device_task t
        WHERE t.rank_id = a.rank_id AND t.connection_no = a.connection_no
            AND t.type_id = (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC'))
UNION ALL
SELECT
    t.id, 1, t.rank_id, t.step_id, t.start_ns, t.end_ns, a.start_ns, max(a.end_ns, a.start_ns + 1), a.step_id, 'f', 'e',
    'HostToDevice' || iif(t.connection_no BETWEEN 0 AND 2147483647, t.connection_no << 32,
        printf('%u', coalesce(t.connection_no, -1) << 32)),
    iif(t.connection_no BETWEEN 0 AND 2147483647, t.connection_no << 32,
        printf('%u', coalesce(t.connection_no, -1) << 32)),
    (r.pid * 1024 + 14 * 32 | t.device_id) & 4294967295, t.stream_no, t.start_ns, 'HostToDevice'
FROM device_task t
LEFT JOIN api_call a ON a.id = t.api_call_id AND a.connection_no = t.connection_no
LEFT JOIN vendor_rank r ON r.rank_id = t.rank_id
WHERE t.is_covered = 0
    AND (t.kernel_id IS NOT NULL OR t.type_id = (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC')
        OR a.name_id IN (SELECT id FROM string WHERE value IN ('aclrtRecordEvent', 'aclrtStreamWaitEvent')))
UNION ALL
SELECT
    c.id, 2, c.rank_id, c.step_id, c.start_ns, c.end_ns, a.start_ns, max(a.end_ns, a.start_ns + 1), a.step_id, 'f', 'e',
    'HostToDevice' || iif(c.connection_no BETWEEN 0 AND 2147483647, c.connection_no << 32,
        printf('%u', coalesce(c.connection_no, -1) << 32)),
    iif(c.connection_no BETWEEN 0 AND 2147483647, c.connection_no << 32,
        printf('%u', coalesce(c.connection_no, -1) << 32)),
    (r.pid * 1024 + 16 * 32 | coalesce(c.device_id, r.device_id)) & 4294967295,
    coalesce((SELECT g.tid FROM vendor_comm_group g WHERE g.comm_group_id = c.comm_group_id), 0), c.start_ns,
    'HostToDevice'
FROM comm_op c
LEFT JOIN api_call a ON a.id = c.api_call_id AND a.connection_no = c.connection_no
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
ORDER BY 3, 2, 5, 1;
