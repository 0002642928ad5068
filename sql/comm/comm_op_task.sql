CREATE VIEW comm_op_task AS
-- The tasks of each communication operator, with what the communication files make of them.
--
-- grain: comm_task_id
-- uses:  comm_op, comm_task, device_task, string
-- cols:
--   comm_task_id   -      the task
--   rank_id        -      rank it ran on
--   comm_op_id     -      operator it belongs to
--   plane_no       -      plane it ran on
--   type           -      Memcpy, Reduce_Inline, Notify_Wait, ...
--   transfer_kind  -      packet: an SDMA transfer over a link; local: one on the chip; payload: part of an RDMA
--                         transfer; wait; else none
--   transport      -      row of the bandwidth tables a packet counts in: HCCS, PCIE, SIO or SDMA for the rest
--   link_name      -      link as the matrix names it: LOCAL, HCCS, PCIE ...
--   src_rank_no    -      source rank of the transfer
--   dst_rank_no    -      destination rank of the transfer
--   size_bytes     bytes  bytes it moved
--   is_master      -      1 = one of the tasks that time the operator; none in older databases
--   start_ns       ns     start
--   end_ns         ns     end
SELECT
    t.id AS comm_task_id,
    o.rank_id,
    o.id AS comm_op_id,
    t.plane_no,
    ty.value AS type,
    CASE
        WHEN rd.value = 'RDMA_SEND_PAYLOAD' THEN 'payload'
        WHEN ty.value = 'Notify_Wait' THEN 'wait'
        WHEN ty.value IN ('Memcpy', 'Reduce_Inline') AND tr.value = 'SDMA'
            THEN CASE WHEN li.value = 'ON_CHIP' THEN 'local' ELSE 'packet' END
    END AS transfer_kind,
    CASE
        WHEN li.value IN ('HCCS', 'HCCS_SW') THEN 'HCCS'
        WHEN li.value IN ('PCIE', 'SIO') THEN li.value
        ELSE 'SDMA'
    END AS transport,
    CASE li.value WHEN 'ON_CHIP' THEN 'LOCAL' WHEN 'HCCS_SW' THEN 'HCCS' ELSE li.value END AS link_name,
    t.src_rank_no,
    t.dst_rank_no,
    coalesce(t.size_bytes, 0) AS size_bytes,
    t.is_master,
    d.start_ns,
    d.end_ns
FROM comm_op o
JOIN comm_task t ON t.comm_op_id = o.id
JOIN device_task d ON d.id = t.device_task_id AND d.rank_id = o.rank_id
LEFT JOIN string ty ON ty.id = t.type_id
LEFT JOIN string tr ON tr.id = t.transport_id
LEFT JOIN string li ON li.id = t.link_type_id
LEFT JOIN string rd ON rd.id = t.rdma_type_id;
