"""Counters that come as lines of text."""

from __future__ import annotations

from pathlib import Path

from prof_reading import read, write_slices

_NIC = (
    "timestamp bandwidth rxPacket/s rxByte/s rxPackets rxBytes rxErrors rxDropped "
    "txPacket/s txByte/s txPackets txBytes txErrors txDropped"
)


def test_hccs(tmp_path: Path):
    first = b"time tx(MB/s) rx(MB/s)\n100: 5 6.25\n\n"
    reading = read(
        "hccs", write_slices(tmp_path, "hccs.data.0", [first, b"time tx rx\n200: 0 18446744073709551616\n300: 1 2"])
    )
    assert [(row["time"], row["tx"], row["rx"]) for row in reading.rows["hccs"]] == [
        (100, 5, 6.25),
        (200, 0, 2.0**64),
        (300, 1, 2),
    ]
    assert reading.faults == {"open_line": 1}


def test_network_with_and_without_a_function(tmp_path: Path):
    values = " ".join(str(number) for number in range(1, 14))
    blob = f"{_NIC} funcId\n10.5 {values} 3\n20: {values}\n30 1 2\nx30 {values}\n40 {values} -\n"
    reading = read("nic", write_slices(tmp_path, "nic.data.0", [blob.encode()]))
    rows = reading.rows["nic"]
    assert [(row["time"], row["function"]) for row in rows] == [(10, 3), (20, 0)]
    assert list(rows[0].values()) == [10, *range(1, 14), 3]
    assert reading.faults == {"bad_line": 3}
    assert read("roce", write_slices(tmp_path, "roce", [blob.encode()])).rows["roce"] == rows


def test_netdev_stats_has_no_header(tmp_path: Path):
    line = " ".join(str(number) for number in range(100, 116))
    rows = read("netdev_stats", write_slices(tmp_path, "netdev", [f"{line}\r\n{line}\n".encode()])).rows["netdev_stats"]
    assert [list(row.values()) for row in rows] == [list(range(100, 116))] * 2


def test_numbers_to_the_last_digit(tmp_path: Path):
    texts = ["0.1", "123456789.123456", "-7.5", "1e5", "0.30000000000000004", "00012.50", ".5", "5."]
    blob = "".join(f"{number} {text} 1\n" for number, text in enumerate(texts)).encode()
    reading = read("hccs", write_slices(tmp_path, "hccs", [blob]))
    assert [row["tx"] for row in reading.rows["hccs"]] == [
        0.1,
        123456789.123456,
        -7.5,
        0.30000000000000004,
        12.5,
        0.5,
        5.0,
    ]
    assert reading.faults == {"bad_line": 1}
