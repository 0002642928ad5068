CREATE VIEW comm_op_label AS
-- What a communication operator is called in the vendor's communication files.
--
-- Its kind is the leftmost of these words in its name: send, reduce, invalid, broadcast, allreduce, receive, allgather,
-- reducescatter, scatter, alltoall, alltoallv, alltoallvc, batchsendrecv; where two begin at one place the earlier of
-- the list wins, so that reduceScatter counts as reduce and alltoallv as alltoall.
--
-- grain: comm_op_id
-- uses:  comm_op, comm_group, string
-- cols:
--   rank_id     -   rank the operator ran on
--   comm_op_id  -   the operator
--   name        -   instance name, e.g. hcom_allReduce__561_0_1
--   group_name  -   number of the group where a source tells it, else its name
--   type        -   p2p or collective
--   kind        -   word that groups the operators of the matrix, e.g. allreduce
--   start_ns    ns  start of the operator
--   end_ns      ns  end of the operator

-- Source: deliverables.md section 11.
WITH word (position, word) AS (
    VALUES (1, 'send'), (2, 'reduce'), (3, 'invalid'), (4, 'broadcast'), (5, 'allreduce'), (6, 'receive'),
           (7, 'allgather'), (8, 'reducescatter'), (9, 'scatter'), (10, 'alltoall'), (11, 'alltoallv'),
           (12, 'alltoallvc'), (13, 'batchsendrecv')
)
SELECT
    o.rank_id,
    o.id AS comm_op_id,
    n.value AS name,
    coalesce(g.group_hash, gn.value, 'N/A') AS group_name,
    CASE
        WHEN lower(n.value) GLOB 'hcom_send*' OR lower(n.value) GLOB 'hcom_receive*'
            OR lower(n.value) GLOB 'hcom_batchsendrecv*' THEN 'p2p'
        ELSE 'collective'
    END AS type,
    coalesce(
        (SELECT word FROM (SELECT w.word, w.position, instr(lower(n.value), w.word) AS place FROM word w)
         WHERE place > 0 ORDER BY place, position LIMIT 1),
        substr(n.value, 1, instr(n.value || '__', '__') - 1)
    ) AS kind,
    o.start_ns,
    o.end_ns
FROM comm_op o
JOIN string n ON n.id = o.name_id
LEFT JOIN comm_group g ON g.id = o.comm_group_id
LEFT JOIN string gn ON gn.id = g.name_id;
