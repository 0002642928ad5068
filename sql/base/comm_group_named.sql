CREATE VIEW comm_group_named AS
-- Communication groups with their names.
--
-- grain: id
-- uses:  comm_group, string
-- cols:
--   id          -      comm_group.id
--   rank_id     -      rank it was recorded on
--   name        text   name of the group
--   group_hash  text   number that the vendor's analysis uses for it
--   alias       text   name that the framework gave it
--   rank_count  count  ranks in it
SELECT
    t.id, t.rank_id, (SELECT value FROM string WHERE id = t.name_id) AS name, t.group_hash, t.alias,
    t.rank_count
FROM comm_group AS t;
