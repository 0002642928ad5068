"""The caching allocator of a process, and what it reports."""

from .prof_directory import STREAM

MALLOC, FREE, BLOCK_FREE = 0, 1, 2
DEVICE_BYTES, WORKSPACE = 0x12C0_4000_0000, 0x12C1_0000_0000


class Pool:
    """Blocks are reused by size; memory is reserved in pieces of 20 MiB.

    >>> pool = Pool(0x1000)
    >>> pool.take(100), pool.totals()
    ((4096, 512), (512, 20971520, 512))
    """

    PIECE = 20 << 20

    def __init__(self, first):
        self.next, self.free_blocks, self.live = first, {}, {}
        self.allocated = self.reserved = self.active = 0

    def take(self, size):
        """Address and bytes of a block."""
        size = -(-size // 512) * 512
        blocks = self.free_blocks.get(size)
        if blocks:
            address = blocks.pop()
        else:
            address, self.next = self.next, self.next + size
        self.live[address] = size
        self.allocated += size
        self.active += size
        if self.active > self.reserved:
            self.reserved += -(-(self.active - self.reserved) // self.PIECE) * self.PIECE
        return address, size

    def give(self, address):
        size = self.live.pop(address)
        self.free_blocks.setdefault(size, []).append(address)
        return size

    def totals(self):
        """Allocated, reserved and active bytes."""
        return self.allocated, self.reserved, self.active


class DeviceMemory:
    """Allocations of a rank on its device, and those of its workspace."""

    def __init__(self, rank):
        self.framework, self.device, self.reported = rank.framework, rank.number, not rank.options.no_memory
        self.queue_tid, self.truth = rank.queue_tid, rank.truth
        self.pool = Pool(DEVICE_BYTES)
        self.workspace = self.workspace_size = 0
        self.unasked = []  # uses of the workspace whose operator has not ended yet

    def _report(self, moment, address, size, action, tid):
        if self.reported:
            self.framework.memory(moment, address, size, self.pool.totals(), STREAM, self.device, 0, action, tid)

    def malloc(self, moment, tid, size):
        address, size = self.pool.take(size)
        self._report(moment, address, size, MALLOC, tid)
        if self.reported:
            self.truth.allocate("PTA", moment, size, address, self.pool.allocated)
        return address

    def asked_by(self, address, op):
        """The operator in which a block was taken, and on whose behalf the workspace was used since the last."""
        if self.reported:
            for row in (self.truth.live["PTA", address], *self.unasked):
                row.op = op.number
            self.unasked.clear()

    def free(self, moment, tid, address, pending=False):
        """Without pending uses the block is released first and the free follows; otherwise the free comes first, and
        the block is released when the device is done (here: 40 us later)."""
        size = self.pool.give(address)
        for action, later in ((FREE, 0), (BLOCK_FREE, 40_000)) if pending else ((BLOCK_FREE, 0), (FREE, 20)):
            if action == FREE:
                self.pool.allocated -= size
            else:
                self.pool.active -= size
            self._report(moment + later, address, -size, action, tid)
            if self.reported:
                self.truth.release("PTA", moment + later, address, active=action == BLOCK_FREE)

    def use_workspace(self, moment, size):
        """Called by the queue thread.  Growing reports a free of the old buffer and a malloc, then every use a malloc
        and a free."""
        if not self.reported:
            return
        if size > self.workspace_size:
            if self.workspace:
                self._report_workspace(moment, -self.workspace_size, 0)
                self.truth.release("WORKSPACE", moment, self.workspace)
            self.workspace, self.workspace_size = WORKSPACE + size, size
            self._report_workspace(moment, size, 0)
            self.unasked.append(self.truth.allocate("WORKSPACE", moment, size, self.workspace, 0))
        self._report_workspace(moment + 100, size, size)
        self.unasked.append(self.truth.allocate("WORKSPACE", moment + 100, size, self.workspace, size))
        self._report_workspace(moment + 4_100, -size, 0)
        self.truth.release("WORKSPACE", moment + 4_100, self.workspace)

    def _report_workspace(self, moment, size, allocated):
        totals = (allocated, self.workspace_size, allocated)
        action = MALLOC if size > 0 else FREE
        self.framework.memory(moment, self.workspace, size, totals, STREAM, self.device, 1, action, self.queue_tid)

    def on_host(self, moment, tid):
        """A block of the host, taken and given back; there only the sign of the size tells which."""
        if self.reported:
            for later, size in ((0, 4096), (400, -4096)):
                self.framework.memory(moment + later, 0x5581_0000_1000, size, (0, 0, 0), 0, -1, 0, MALLOC, tid)
