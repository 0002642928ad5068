CREATE VIEW comm_op_packet AS
-- Packets of each communication operator by transport and size, over all planes.
--
-- grain: comm_op_id, transport, packet_bytes
-- uses:  comm_op_task, comm_op_rdma
-- cols:
--   comm_op_id       -      the operator
--   transport        -      HCCS, PCIE, SIO, RDMA; SDMA for links of no row of their own
--   packet_bytes     bytes  size of one packet
--   is_large         -      1 = above 32 MB (RDMA: 0.5 MB; MB is 1e6 bytes)
--   packet_count     count  packets of that size
--   transit_ns       ns     sum of their durations
WITH packet AS (
    SELECT comm_op_id, transport, size_bytes, end_ns - start_ns AS transit_ns
    FROM comm_op_task
    WHERE transfer_kind = 'packet'
    UNION ALL
    SELECT comm_op_id, 'RDMA', size_bytes, end_ns - start_ns FROM comm_op_rdma
)
SELECT
    comm_op_id,
    transport,
    size_bytes AS packet_bytes,
    size_bytes > CASE transport WHEN 'RDMA' THEN 500000 ELSE 32000000 END AS is_large,
    count(*) AS packet_count,
    sum(transit_ns) AS transit_ns
FROM packet
GROUP BY comm_op_id, transport, size_bytes;
