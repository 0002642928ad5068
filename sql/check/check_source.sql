CREATE VIEW check_source AS
-- Input files that could not be read.
--
-- grain: source_id
-- uses:  source
-- cols:
--   source_id  -     source.id
--   path       text  the file
--   text       text  why
SELECT id AS source_id, path, coalesce(note, 'no reason was recorded') AS text
FROM source
WHERE state = 'failed';
