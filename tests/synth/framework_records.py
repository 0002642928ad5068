"""Records of the FRAMEWORK files as bytes (framework-files.md 2); times are ticks."""

import struct

CALL, RETURN, C_CALL, C_RETURN = range(4)  # tags of the Python tracer
USER_SCOPE = 7  # of a record_function range
NPU = 20  # device type


def tlv(tag, value):
    """One type-length-value.

    >>> tlv(2, b"ab").hex()
    '0200020000006162'
    """
    return struct.pack("<HI", tag, len(value)) + value


def text(tag, value):
    return tlv(tag, value.encode())


def op(begin, end, sequence, pid, tid, forward, scope, texts):
    return tlv(1, struct.pack("<3q4QB?", begin, end, sequence, pid, tid, tid, forward, scope, False) + texts)


def mark(stamp, category, correlation, tid, pid, name):
    """category: 0 and 1 begin and end an enqueue, 2 and 3 a dequeue."""
    return tlv(2, struct.pack("<q4Q", stamp, category, correlation, tid, pid) + name)


def memory(address, stamp, size, totals, stream, device, component, action, tid, pid):
    """totals: allocated, reserved, active.  device: -1 is the host.  action: 0 malloc, 1 free, 2 block free."""
    device_type = NPU if device >= 0 else 0
    fields = (address, stamp, size, *totals, stream, device_type, device, component, action, 0, tid, pid)
    return tlv(3, struct.pack("<7q2b3B2Q", *fields))


def python_call(stamp, tid, pid, key, tag):
    return struct.pack("<4QB", stamp, tid, pid, key, tag)


def python_name(key, name):
    return tlv(4, struct.pack("<Q", key) + text(1, name))


def parameters(key, owner, value):
    """owner: 1 a module, 2 an optimizer."""
    return tlv(5, struct.pack("<Q", key) + text(owner, value))


def collection(pid, begin, end):
    """One run of the garbage collector."""
    return struct.pack("<3Q", pid, begin, end)


def tensor(address, storage, dtype, element_bytes, shape, device):
    """A tensor as text.

    >>> tensor(0x10, 0x20, "float", 4, (2, 3), 0)
    '0x10;0x20;float;4;2,3;3,1;20;0'
    """
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    sizes = [",".join(map(str, numbers)) for numbers in (shape, strides)]
    return ";".join((f"0x{address:x}", f"0x{storage:x}", dtype, str(element_bytes), *sizes, str(NPU), str(device)))
