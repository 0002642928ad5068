CREATE VIEW comm_op_bandwidth AS
-- What each communication operator moved over each transport, over all planes.
--
-- SDMA is the sum of HCCS, PCIE, SIO and what fits none of them.
--
-- grain: comm_op_id, transport
-- uses:  comm_op_packet
-- cols:
--   comm_op_id          -      the operator
--   transport           -      HCCS, PCIE, SIO, RDMA or SDMA
--   size_bytes          bytes  bytes moved
--   transit_ns          ns     sum of the durations of the transfers
--   bandwidth_gbps      GB/s   size / time (1e9 bytes a second)
--   packet_count        count  transfers
--   large_packet_count  count  transfers of large packets

-- Source: deliverables.md section 11.
WITH row AS (
    SELECT comm_op_id, transport, packet_bytes, packet_count, transit_ns, is_large
    FROM comm_op_packet
    WHERE transport <> 'SDMA'
    UNION ALL
    SELECT comm_op_id, 'SDMA', packet_bytes, packet_count, transit_ns, is_large
    FROM comm_op_packet
    WHERE transport <> 'RDMA'
)
SELECT
    comm_op_id,
    transport,
    sum(packet_bytes * packet_count) AS size_bytes,
    sum(transit_ns) AS transit_ns,
    sum(packet_bytes * packet_count) * 1.0 / nullif(sum(transit_ns), 0) AS bandwidth_gbps,
    sum(packet_count) AS packet_count,
    sum(packet_count * is_large) AS large_packet_count
FROM row
GROUP BY comm_op_id, transport;
