CREATE VIEW export_pcie AS
-- pcie.csv: traffic and latency over PCIe, as the last sample has them.
--
-- Each sample holds the smallest, largest and mean value of its time; a smallest value that was not measured is 0.
--
-- grain: rank_id, Device_id, place
-- uses:  counter, counter_sample
-- file:  pcie.csv
-- window: counter_sample time_ns time_ns
-- cols:
--   rank_id    -      [key] rank
--   place      -      [key] order of the modes
--   Device_id  int    device
--   Mode       text   posted, non-posted, completion or latency; sent or received
--   Min        float  MB/s (of 1024) or us
--   Max        float  MB/s (of 1024) or us
--   Avg        float  MB/s (of 1024) or us

-- Source: deliverables.md section 12; the rows are those of the vendor's public parser for this chip.
WITH mode (place, mode, name, factor) AS (
    VALUES
        (0, 'Tx_p_avg(MB/s)', 'txPost', 1.0 / 1048576),
        (1, 'Tx_np_avg(MB/s)', 'txNonpost', 1.0 / 1048576),
        (2, 'Tx_cpl_avg(MB/s)', 'txCpl', 1.0 / 1048576),
        (3, 'Tx_latency_avg(us)', 'txNonpostLatency', 0.001),
        (4, 'Rx_p_avg(MB/s)', 'rxPost', 1.0 / 1048576),
        (5, 'Rx_np_avg(MB/s)', 'rxNonpost', 1.0 / 1048576),
        (6, 'Rx_cpl_avg(MB/s)', 'rxCpl', 1.0 / 1048576)
),
latest AS (
    SELECT c.rank_id, c.device_id, max(s.time_ns) AS time_ns
    FROM counter c
    CROSS JOIN counter_sample s ON s.counter_id = c.id
    WHERE c.family = 'PCIE'
    GROUP BY c.rank_id, c.device_id
)
SELECT
    l.rank_id,
    m.place,
    l.device_id AS Device_id,
    m.mode AS Mode,
    round(max(CASE c.name WHEN m.name || 'Min' THEN coalesce(s.value, 0) ELSE 0 END) * m.factor, 3) AS Min,
    round(max(CASE c.name WHEN m.name || 'Max' THEN coalesce(s.value, 0) ELSE 0 END) * m.factor, 3) AS Max,
    round(max(CASE c.name WHEN m.name || 'Avg' THEN coalesce(s.value, 0) ELSE 0 END) * m.factor, 3) AS Avg
FROM latest l
CROSS JOIN mode m
CROSS JOIN counter c
    ON c.rank_id = l.rank_id AND c.device_id = l.device_id AND c.family = 'PCIE'
        AND c.name IN (m.name || 'Min', m.name || 'Max', m.name || 'Avg')
LEFT JOIN counter_sample s ON s.counter_id = c.id AND s.time_ns = l.time_ns
GROUP BY l.rank_id, l.device_id, m.place
ORDER BY l.rank_id, l.device_id, m.place;
