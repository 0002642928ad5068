CREATE VIEW stack_line AS
-- Two lines of Python of each call stack: the innermost, and the innermost that is the user's own.
--
-- Own is what lies neither in site-packages or dist-packages, nor in Python's library, nor in torch or torch_npu.
--
-- grain: stack_id
-- uses:  stack_frame, string
-- cols:
--   stack_id   -     stack_frame.stack_id
--   code_line  text  file(line): function of the innermost frame
--   own_line   text  that of the innermost frame of the user's own; none if there is none
SELECT
    k.stack_id,
    (SELECT value FROM string WHERE id = k.string_id) AS code_line,
    (
        SELECT s.value FROM stack_frame AS f JOIN string AS s ON s.id = f.string_id
        WHERE f.stack_id = k.stack_id
            AND NOT (
                s.value GLOB '*/site-packages/*' OR s.value GLOB '*/dist-packages/*' OR s.value GLOB '*/lib/python[0-9]*'
                OR s.value GLOB 'torch/*' OR s.value GLOB 'torch_npu/*' OR s.value GLOB '<built-in *'
                OR s.value GLOB '<frozen *')
        ORDER BY f.depth LIMIT 1) AS own_line
FROM stack_frame AS k
WHERE k.depth = 0;
