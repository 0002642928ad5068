CREATE VIEW export_communication_matrix AS
-- communication_matrix.json: a row a kind of operator, place in the ranking, group and link.
--
-- The file nests the rows: step, type, kind-place@group, link. A rank profiled at Level0 has none.
--
-- grain: rank_id, step_name, type, op_key, link
-- uses:  comm_matrix, rank_level
-- file:  communication_matrix.json
-- window: comm_op start_ns end_ns
-- cols:
--   rank_id             -      [key] rank
--   step_name           text   [key] step and its number
--   type                text   [key] p2p or collective
--   op_key              text   [key] kind-place@group
--   link                text   [key] source rank-destination rank
--   "Transport Type"    text   LOCAL, HCCS, PCIE, ...
--   "Transit Size(MB)"  float  bytes moved / 1e6
--   "Transit Time(ms)"  float  sum of the durations of the transfers
--   "Bandwidth(GB/s)"   float  size / time, 4 decimals
--   "Op Name"           text   [optional] the operator in that place; none for total

-- Source: deliverables.md section 11.
SELECT
    rank_id,
    step_name,
    type,
    kind || '-' || place || '@' || group_name AS op_key,
    src_rank_no || '-' || dst_rank_no AS link,
    transport AS "Transport Type",
    size_bytes / 1e6 AS "Transit Size(MB)",
    transit_ns / 1e6 AS "Transit Time(ms)",
    bandwidth_gbps AS "Bandwidth(GB/s)",
    op_name AS "Op Name"
FROM comm_matrix
WHERE drawn_by = 'text' AND rank_id IN (SELECT rank_id FROM rank_level WHERE level_no >= 1)
ORDER BY rank_id, step_id, step_name, type DESC, kind, group_name, place, link;
