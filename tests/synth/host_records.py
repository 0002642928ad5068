"""Records of the host's side of PROF as bytes (cann-files.md 4); times are ticks."""

import struct

from . import codes

HEAD = struct.Struct("<HHIIIQ")
CALL = struct.Struct("<HHIIIQQQ")
EVENT_FLAG = 0xFFFFFFFFFFFFFFFF  # in place of the end: a moment, no range


def call(level, kind, tid, begin, end, item=0, request=0):
    """A call, or with EVENT_FLAG as its end an event.

    >>> len(call(codes.L_NODE, codes.NODE_LAUNCH, 1, 10, 20))
    40
    """
    return CALL.pack(codes.MAGIC, level, kind, tid, request, begin, end, item)


def head(level, kind, tid, size, stamp):
    return HEAD.pack(codes.MAGIC, level, kind, tid, size, stamp)


def compact(level, kind, tid, stamp, payload, size=None):
    """64 bytes.

    >>> len(compact(codes.L_NODE, codes.NODE_BASIC, 1, 10, b""))
    64
    """
    return head(level, kind, tid, len(payload) if size is None else size, stamp) + payload.ljust(40, b"\0")


def additional(level, kind, tid, stamp, payload):
    """256 bytes.

    >>> len(additional(codes.L_NODE, codes.NODE_TENSOR, 1, 10, b""))
    256
    """
    return head(level, kind, tid, len(payload), stamp) + payload.ljust(232, b"\0")


def variable(level, kind, tid, stamp, payload):
    """As long as its payload."""
    return head(level, kind, tid, len(payload), stamp) + payload


def node_basic(op_name, task_type, op_type, blocks, flag=0):
    return struct.pack("<QIQII", op_name, task_type, op_type, blocks, flag)


def node_attr(op_name, attributes):
    return struct.pack("<QIQ", op_name, 0, attributes)


def task_track(device, stream, task, batch, task_type, kernel=0):
    return struct.pack("<HHHHQQ", device, stream, task, batch, task_type, kernel)


def context_ids(op_name, *contexts):
    return struct.pack(f"<QI{len(contexts)}I", op_name, len(contexts), *contexts)


def copy_info(size, most, direction):
    """most: bytes that one copy of the device moves at most."""
    return struct.pack("<QQH", size, most, direction)


def tensor_list(tensors):
    """tensors: (0 input or 1 output, format, type, shape)."""
    return b"".join(
        struct.pack("<III8I", kind, form, dtype, *shape, *[0] * (8 - len(shape)))
        for kind, form, dtype, shape in tensors
    )


def tensor_info(op_name, tensors):
    """Payloads: at most five tensors fit into one record."""
    for start in range(0, len(tensors), 5):
        part = tensors[start : start + 5]
        yield struct.pack("<QI", op_name, len(part)) + tensor_list(part)


def captured_op(model, device, stream, task, task_type, blocks, op_name, op_type, attributes, flag, tensors):
    return struct.pack(
        "<6I4Q2I", model, device, stream, task, task_type, blocks, op_name, op_type, attributes, 0, flag, len(tensors)
    ) + tensor_list(tensors)


def capture_stream(status, model_stream, origin_stream, model, device):
    """status: 0 the capture begins, 1 the model is gone."""
    return struct.pack("<HHHHH", status, model_stream, origin_stream, model, device)


def hccl_op(relay, data_type, algorithm, count, group):
    return struct.pack("<BBQQQ", relay, data_type, algorithm, count, group)


def hccl_info(
    item, tag, group, local, remote, size, plane, notify, stage, role, duration, source, target, nbytes,
    op_type, data_type, link, transport, rdma,
):  # fmt: skip
    return struct.pack(
        "<3Q6IQ2Id3Q6I", item, tag, group, local, remote, size, 0, plane, 0xFFFFFFFF, notify,
        stage, role, duration, source, target, nbytes, op_type, data_type, link, transport, rdma, 0,
    )  # fmt: skip


def task_memory(address, size, op_name, allocated, reserved, device):
    """Of the graph engine's allocator; size < 0 releases."""
    return struct.pack("<QqQQQII", address, size, op_name, allocated, reserved, device, 20)


def aicpu_node(stream, task, device, begin, end, tick):
    """A kernel of the AI CPU between two moments; tick: moment to ticks."""
    return struct.pack(
        "<HHIQQQQQQQIIQQQQIIIHB", stream, task, 0, 0, tick(begin + 2_000), 100, 130, 135, 0,
        tick(end - 2_000), 77, device, tick(begin), tick(begin + 500), tick(begin + 1_000),
        tick(end - 1_000), 0, 2, 46, 0, 1,
    )  # fmt: skip
