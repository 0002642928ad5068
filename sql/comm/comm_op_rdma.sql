CREATE VIEW comm_op_rdma AS
-- RDMA transfers: a run of payload tasks on one plane counts as one transfer.
--
-- It ends with the task (payloads + jump - 2) places after its first one in start order; jump is 3 for send and receive
-- operators, else 5 (the notifications that follow).  A run that is cut short is no transfer.
--
-- grain: comm_op_id, plane_no, start_ns
-- uses:  comm_op_task, comm_op_label
-- cols:
--   comm_op_id  -      the operator
--   plane_no    -      plane of the transfer
--   size_bytes  bytes  sum of its payloads
--   start_ns    ns     start of the first payload
--   end_ns      ns     end of the task that ends it

-- Source: deliverables.md section 11.
WITH task AS (
    SELECT comm_op_id, plane_no, start_ns, end_ns, size_bytes, transfer_kind IS 'payload' AS is_payload,
           row_number() OVER (PARTITION BY comm_op_id, plane_no ORDER BY start_ns, comm_task_id) AS position
    FROM comm_op_task
    WHERE comm_op_id IN (SELECT comm_op_id FROM comm_op_task WHERE transfer_kind = 'payload')
),
payload AS (
    SELECT *, position - row_number() OVER (PARTITION BY comm_op_id, plane_no ORDER BY position) AS run
    FROM task
    WHERE is_payload
),
run AS (
    SELECT comm_op_id, plane_no, min(position) AS position, count(*) AS payloads, min(start_ns) AS start_ns,
           sum(size_bytes) AS size_bytes
    FROM payload
    GROUP BY comm_op_id, plane_no, run
)
SELECT run.comm_op_id, run.plane_no, run.size_bytes, run.start_ns, last.end_ns
FROM run
JOIN comm_op_label o ON o.comm_op_id = run.comm_op_id
JOIN task last ON last.comm_op_id = run.comm_op_id AND last.plane_no = run.plane_no
    AND last.position = run.position + run.payloads
        + CASE WHEN lower(o.name) GLOB 'hcom_send*' OR lower(o.name) GLOB 'hcom_receive*' THEN 1 ELSE 3 END;
