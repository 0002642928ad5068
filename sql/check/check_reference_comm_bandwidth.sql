CREATE VIEW check_reference_comm_bandwidth AS
-- Communication operators whose bandwidths we compute differ from what analysis.db said.
--
-- A rank without records of its own is in check_reference_only instead.
--
-- grain: rank_id, op_name, step, transport_type, package_size
-- uses:  reference_comm_bandwidth, analysis_comm_bandwidth, rank_recorded, rank
-- cols:
--   rank_id         -     rank
--   rank_no         -     its number in the job; none if unknown
--   op_name         -     operator
--   step            -     step and its number
--   transport_type  -     HCCS, PCIE, SIO, RDMA or SDMA
--   package_size    MB    size of a packet
--   text            text  columns that differ beyond the rounding of the reference, or which side lacks the row
WITH computed AS (
    SELECT *, CAST(round(package_size * 1e6) AS INTEGER) AS package_bytes FROM analysis_comm_bandwidth
),
reference AS (
    SELECT *, CAST(round(package_size * 1e6) AS INTEGER) AS package_bytes FROM reference_comm_bandwidth AS r
    WHERE r.rank_id IN (SELECT rank_id FROM rank_recorded)
),
pair AS (
    SELECT
        r.rank_id, r.op_name, r.step, r.transport_type, r.package_size, a.rank_id IS NULL AS is_missing,
        CASE WHEN abs(a.transit_size - r.transit_size) > 2e-5 THEN ' transit_size' ELSE '' END
        || CASE WHEN abs(a.transit_time - r.transit_time) > 2e-5 THEN ' transit_time' ELSE '' END
        || CASE WHEN abs(a.bandwidth - r.bandwidth) > 1e-4 + 1e-5 * abs(r.bandwidth) THEN ' bandwidth' ELSE '' END
        || CASE WHEN abs(a.large_packet_ratio - r.large_packet_ratio) > 2e-5 THEN ' large_packet_ratio' ELSE '' END
        || CASE WHEN a.count <> r.count THEN ' count' ELSE '' END
        || CASE WHEN abs(a.total_duration - r.total_duration) > 2e-5 THEN ' total_duration' ELSE '' END
        || CASE WHEN a.type <> r.type THEN ' type' ELSE '' END AS columns
    FROM reference r
    LEFT JOIN computed a ON a.rank_id = r.rank_id AND a.hccl_op_name = r.op_name AND a.step IS r.step
        AND a.transport_type = r.transport_type AND a.package_bytes = r.package_bytes
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = pair.rank_id) AS rank_no, op_name, step, transport_type, package_size,
    CASE WHEN is_missing THEN 'only in the reference' ELSE 'differs in' || columns END AS text
FROM pair
WHERE is_missing OR columns <> ''
UNION ALL
SELECT a.rank_id, a.rank_no, a.hccl_op_name, a.step, a.transport_type, a.package_size, 'not in the reference'
FROM computed a
WHERE a.rank_id IN (SELECT rank_id FROM reference_comm_bandwidth)
    AND NOT EXISTS (
        SELECT 1 FROM reference r
        WHERE r.rank_id = a.rank_id AND r.op_name = a.hccl_op_name AND r.step IS a.step
            AND r.transport_type = a.transport_type AND r.package_bytes = a.package_bytes
    );
