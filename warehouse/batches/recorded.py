"""What a recording consists of: one Arrow schema a table of its chunks, as collector_ext/core/tables.cpp writes them.

Times are ticks; `anchor` ties them to the system's clocks.  `thread`, `name`, `stack`, … are numbers of `thread` and
`string` rows; 0 is the empty text.  Every batch has a check sum (chunk_folder.py): the format has none, and what a
machine that stops leaves of a file may end in zeros.
"""

from __future__ import annotations

import pyarrow as pa

_TYPES = {
    "i1": pa.int8(), "u1": pa.uint8(), "u2": pa.uint16(), "i4": pa.int32(), "u4": pa.uint32(), "i8": pa.int64(),
    "u8": pa.uint64(), "b": pa.binary(),
}  # fmt: skip


def _schema(columns: str) -> pa.Schema:
    """`name:type`, never null."""
    pairs = (spec.split(":") for spec in columns.split())
    return pa.schema([pa.field(name, _TYPES[kind], nullable=False) for name, kind in pairs])


RECORDED: dict[str, pa.Schema] = {
    "string": _schema("string:u4 text:b"),
    "thread": _schema("thread:u4 pid:i8 tid:i8 name:u4"),
    # one moment on three clocks
    "anchor": _schema("ticks:i8 monotonic_raw_ns:i8 realtime_ns:i8"),
    # what many ranges have in common; end_thread 0: where it began; stack, module: of TorchScript
    "op_form": _schema(
        "form:u4 forward_thread_no:u8 end_thread:u4 stack:u4 module:u4 dtypes:u4 shapes:u4 scope:u1 is_async:u1"
    ),
    # a finished range: 28 bytes, for two million a second are to go onto an ordinary disk (recorded_ops.py joins)
    "op": _schema("start_ticks:i8 duration_ticks:u4 sequence_no:i4 name:u4 form:u4 thread:u2 depth:u2"),
    # one with numbers that are too large there, or with inputs: which tensors and values they were, as
    # collector_ext/torch/input_description.hpp writes it (recorded_inputs.py)
    "wide_op": _schema("start_ticks:i8 duration_ticks:i8 sequence_no:i8 name:u4 form:u4 thread:u4 depth:u2 tensors:b"),
    # a call or return; event: 0 call, 1 return, 2 C call, 3 C return; code: string of the function, 0 for returns;
    # event 4: behind lost records; code: how many calls were open all through the loss; depth: how many are now
    "frame": _schema("time_ticks:i8 thread:u4 code:u4 depth:u4 event:u1"),
    "memory": _schema(
        "time_ticks:i8 address:u8 size_bytes:i8 allocated_bytes:i8 reserved_bytes:i8 active_bytes:i8 stream:i8 "
        "thread:u4 device_type:i1 device_index:i1 component:u1 action:u1"
    ),
    # range 0: a mark
    "mark": _schema("start_ticks:i8 end_ticks:i8 range:i8 thread:u4 end_thread:u4 message:u4 domain:u4"),
    "gc": _schema("start_ticks:i8 end_ticks:i8 thread:u4 generation:i4 collected:i4"),
    "queue_mark": _schema("time_ticks:i8 correlation_no:i8 thread:u4 name:u4 category:u4"),
    # records that a full ring did not take; ring: 0 events, 1 frames
    "gap": _schema("first_ticks:i8 last_ticks:i8 count:i8 thread:u4 ring:u4"),
    "parameter": _schema("time_ticks:i8 key:u8 thread:u4 text:u4 is_optimizer:u4"),
    # what the host did beside the program (collector_ext/core/host_reader.hpp); begins: nothing is known of before
    "host": _schema("time_ticks:i8 value:i8 whole:i8 series:u4 begins:u1"),
}
