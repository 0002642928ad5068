CREATE VIEW check_reference_step_trace AS
-- Steps for which the step times we compute differ from what analysis.db said.
--
-- A rank without records of its own is in check_reference_only instead.
--
-- grain: rank_id, device_id, step
-- uses:  reference_step, analysis_step_trace_time, rank_recorded, rank
-- cols:
--   rank_id    -     rank
--   rank_no    -     its number in the job; none if unknown
--   device_id  -     device; none where the reference does not tell it
--   step       -     number of the step
--   text       text  columns that differ by more than 0.6 ns, or which side lacks the step
WITH pair AS (
    SELECT
        r.rank_id, r.device_id, r.step, a.rank_id IS NULL AS is_missing,
        CASE WHEN abs(a.computing - r.computing) > 6e-4 THEN ' computing' ELSE '' END
        || CASE WHEN abs(a.communication_not_overlapped - r.communication_not_overlapped) > 6e-4
            THEN ' communication_not_overlapped' ELSE '' END
        || CASE WHEN abs(a.overlapped - r.overlapped) > 6e-4 THEN ' overlapped' ELSE '' END
        || CASE WHEN abs(a.communication - r.communication) > 6e-4 THEN ' communication' ELSE '' END
        || CASE WHEN abs(a.free - r.free) > 6e-4 THEN ' free' ELSE '' END
        || CASE WHEN abs(a.stage - r.stage) > 6e-4 THEN ' stage' ELSE '' END
        || CASE WHEN abs(a.bubble - r.bubble) > 6e-4 THEN ' bubble' ELSE '' END
        || CASE WHEN abs(a.communication_not_overlapped_and_exclude_receive
                - r.communication_not_overlapped_and_exclude_receive) > 6e-4
            THEN ' communication_not_overlapped_and_exclude_receive' ELSE '' END
        || CASE WHEN abs(a.preparing - r.preparing) > 6e-4 THEN ' preparing' ELSE '' END AS columns
    FROM reference_step r
    LEFT JOIN analysis_step_trace_time a ON a.rank_id = r.rank_id AND coalesce(a.step, '') = coalesce(r.step, '')
        AND (r.device_id IS NULL OR a.deviceId = r.device_id)
    WHERE r.rank_id IN (SELECT rank_id FROM rank_recorded)
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = pair.rank_id) AS rank_no, device_id, step,
    CASE WHEN is_missing THEN 'only in the reference' ELSE 'differs in' || columns END AS text
FROM pair
WHERE is_missing OR columns <> ''
UNION ALL
SELECT a.rank_id, a.rank_no, a.deviceId, a.step, 'not in the reference'
FROM analysis_step_trace_time a
WHERE a.rank_id IN (SELECT rank_id FROM reference_step)
    AND NOT EXISTS (
        SELECT 1 FROM reference_step r
        WHERE r.rank_id = a.rank_id AND coalesce(a.step, '') = coalesce(r.step, '')
            AND (r.device_id IS NULL OR a.deviceId = r.device_id)
    );
