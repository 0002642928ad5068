CREATE VIEW check_issue AS
-- Errors and warnings that reading met.
--
-- grain: issue_id
-- uses:  issue_named
-- cols:
--   issue_id        -      issue.id
--   severity        text   error or warning
--   code            text   kind of issue
--   text            text   what is wrong
--   directory       text   run directory of the rank it concerns
--   path            text   input file
--   table_name      text   table in it
--   count           count  records it concerns
SELECT id AS issue_id, severity, code, text, directory, path, table_name, count
FROM issue_named
WHERE severity IN ('error', 'warning');
