"""The files `torch.*` of a FRAMEWORK directory."""

from . import codes, framework_records
from .framework_records import C_CALL, C_RETURN, CALL, RETURN
from .model import CXX_TYPES, ELEMENT_BYTES

EXIT = "__torch_npu_profiler_python_tracer_exit"
PIECE = 1 << 22
IMPLEMENTATIONS = 0x5581_0000_0000  # where the host keeps its tensor objects


def module_path(frames):
    """The modules that an operator with that call stack lies in, outermost first; None if in none of torch.

    >>> module_path(("torch/nn/modules/linear.py(124): forward", "model.py(40): forward"))
    ['TransformerModel', 'layers', 'linear']
    """
    if not frames or not frames[0].startswith("torch/nn/modules/"):
        return None
    return ["TransformerModel", "layers", frames[0].split("/")[-1].split(".py")[0]]


class FrameworkFiles:
    """Takes moments of the clock and writes them as ticks.

    with_tensors: operators name the tensors they read.
    """

    def __init__(self, folder, clock, pid, device, with_tensors, truth):
        self.folder, self.pid, self.device, self.with_tensors = folder, pid, device, with_tensors
        self.tick, self.truth = clock.host, truth
        self.files, self.handles = {}, {}
        self.keys = {}  # of the Python tracer: text -> key
        self.texts = {}  # texts of operators that were written before

    def add(self, name, record):
        self.files.setdefault(name, bytearray()).extend(record)

    def drain(self, everything=False):
        for name, data in self.files.items():
            if data and (everything or len(data) > PIECE):
                if name not in self.handles:
                    self.folder.mkdir(parents=True, exist_ok=True)
                    self.handles[name] = (self.folder / f"torch.{name}").open("wb")
                self.handles[name].write(data)
                data.clear()

    def close(self):
        for text, key in self.keys.items():
            self.add("python_tracer_hash", framework_records.python_name(key, text))
        self.drain(everything=True)
        for handle in self.handles.values():
            handle.close()

    def op(
        self, begin, end, tid, name, kernel=None, variant=0, frames=None, storages=(), sequence=-1, forward=0, scope=0,
        inside=(),
    ):  # fmt: skip
        """kernel, variant: whose types and shapes the operator names.  storages: addresses of what it reads.
        inside: the operators that it called.  Returns it."""
        texts = self._op_texts(name, kernel, variant, frames, storages)
        ticks = self.tick(begin), self.tick(end)
        self.add("op_range", framework_records.op(*ticks, sequence, self.pid, tid, forward, scope, texts))
        types = (kernel.shape_texts[variant], kernel.dtype_texts) if kernel else (None, None)
        return self.truth.op(name, tid, begin, end, sequence, *types, frames, module_path(frames), inside)

    def mark(self, moment, category, correlation, tid, name):
        text = framework_records.text(1, name)
        self.add("op_mark", framework_records.mark(self.tick(moment), category, correlation, tid, self.pid, text))

    def memory(self, moment, address, size, totals, stream, device, component, action, tid):
        stamp = self.tick(moment)
        record = framework_records.memory(
            address, stamp, size, totals, stream, device, component, action, tid, self.pid
        )
        self.add("memory_usage", record)

    def key(self, text, key=None):
        if text not in self.keys:
            self.keys[text] = key or codes.fnv_hash(text)
        return self.keys[text]

    def call(self, moment, tid, text, tag, key=None):
        """A record of the Python tracer."""
        record = framework_records.python_call(self.tick(moment), tid, self.pid, self.key(text, key), tag)
        self.add("python_tracer_func", record)

    def enter(self, moment, tid, text, key=None, is_c=False):
        self.call(moment, tid, text, C_CALL if is_c else CALL, key)
        self.truth.enter(moment, tid, text)

    def leave(self, moment, tid, is_c=False):
        self.call(moment, tid, EXIT, C_RETURN if is_c else RETURN)
        self.truth.leave(moment, tid)

    def collection(self, begin, end):
        self.add("gc_record", framework_records.collection(self.pid, self.tick(begin), self.tick(end)))
        self.truth.collect(begin, end)

    def end_tracer(self):
        """The exit key is the last entry of the table."""
        self.keys.pop(EXIT, None)
        self.key(EXIT)

    def parameters(self, weight, moment, optimizer):
        """What the first Linear module and the optimizer own.  weight, moment: addresses; optimizer: its frame."""
        owned = {}
        for address in (weight, moment):
            owned[address] = framework_records.tensor(
                0x5581_7000_0000 + address, address, "float", 4, (256, 128), self.device
            )
        module = next((key for text, key in self.keys.items() if text.startswith("Linear######")), 0x7F00)
        step = self.key(optimizer)
        self.end_tracer()
        for key, owner, value in (
            (module, 1, f"weight){owned[weight]})"),
            (step, 2, f"{owned[weight]}))exp_avg>{owned[moment]}]"),
        ):
            self.add("param_tensor_info", framework_records.parameters(key, owner, value))

    def _op_texts(self, name, kernel, variant, frames, storages):
        """Nested fields of an op_range record, in ascending order of their tags."""
        key = (name, kernel and kernel.api, variant, frames)
        if key not in self.texts:
            self.texts[key] = self._plain_texts(name, kernel, variant, frames)
        before, after = self.texts[key]
        if not (storages and kernel and self.with_tensors):
            return before + after
        tensors = [
            framework_records.tensor(
                IMPLEMENTATIONS + storage + number, storage, CXX_TYPES[kernel.dtype], ELEMENT_BYTES[kernel.dtype],
                shape, self.device,
            )
            for number, (storage, shape) in enumerate(zip(storages, kernel.dims(variant), strict=False))
        ]  # fmt: skip
        scalars = framework_records.text(7, "Double")
        return before + framework_records.text(5, ")".join(tensors)) + scalars + after

    @staticmethod
    def _plain_texts(name, kernel, variant, frames):
        """Texts of the tags before and after those of tensors and scalars."""
        before, after = framework_records.text(2, name), b""
        if kernel:
            before += framework_records.text(3, ";".join(kernel.dtype_texts))
            before += framework_records.text(4, ";".join(kernel.shape_texts[variant]))
        if frames:
            after += framework_records.text(8, ";".join(frames))
            if module := module_path(frames):
                after += framework_records.text(9, ";".join(module))
        return before, after
