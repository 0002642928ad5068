CREATE VIEW vendor_comm_group AS
-- Threads of the communication groups in the vendor's trace.
--
-- A group is at tid, its plane k at tid + k + 1. Groups follow each other in the order of their names (the vendor's own
-- order is that of a hash table).  Where planes were not recorded (Level0) the vendor shows one.
--
-- grain: comm_group_id
-- uses:  comm_group_named, comm_group
-- cols:
--   rank_id        -      rank
--   comm_group_id  -      group
--   name           -      name of the thread
--   tid            -      thread of the group
--   plane_count    count  threads of planes that follow it
SELECT
    g.rank_id,
    g.id AS comm_group_id,
    CASE WHEN g.name = 'N/A' THEN 'Communication' ELSE 'Group ' || g.name || ' Communication' END AS name,
    sum(1 + coalesce(c.plane_count, 1)) OVER (PARTITION BY g.rank_id ORDER BY g.name, g.id)
        - coalesce(c.plane_count, 1) - 1 AS tid,
    coalesce(c.plane_count, 1) AS plane_count
FROM comm_group_named g
JOIN comm_group c ON c.id = g.id;
