CREATE VIEW source_named AS
-- Every input file, and what became of it.
--
-- grain: id
-- uses:  source, rank
-- cols:
--   id              -      source.id
--   rank_id         -      rank it belongs to
--   rank_no         -      its number in the job; none if unknown
--   directory       text   run directory of that rank
--   path            text   the file
--   kind            text   what it is
--   state           text   used; left: another form of the same data was used; failed
--   note            text   why it was left out or failed
--   size_bytes      bytes  its size
--   record_count    count  records in it
--   loaded_count    count  of them loaded
--   rejected_count  count  of them rejected
--   decoded_bytes   bytes  read; none for databases, of which records are counted, and where nothing was read
--   rejected_bytes  bytes  damaged, of a form that is not known, or read by nobody
SELECT
    s.id, s.rank_id, (SELECT rank_no FROM rank WHERE id = s.rank_id) AS rank_no,
    (SELECT directory FROM rank WHERE id = s.rank_id) AS directory, s.path, s.kind, s.state, s.note,
    s.size_bytes, s.record_count, s.loaded_count, s.rejected_count, s.decoded_bytes, s.rejected_bytes
FROM source AS s;
