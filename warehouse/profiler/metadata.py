"""What a run says of itself beside its records (framework-files.md 1.4)."""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Callable
from typing import Any

from warehouse.profiler.boundary import let_signals_through
from warehouse.profiler.settings import is_text, logger, printable

_LONGEST = 4096
_MOST_BYTES = 51200
_DEEPEST = 100
_LONGEST_RANK = 18  # digits
_LONGEST_TRACE_ID = 1024
_ENVIRONMENT = (
    "ASCEND_GLOBAL_LOG_LEVEL", "HCCL_RDMA_TC", "HCCL_RDMA_SL", "ACLNN_CACHE_LIMIT", "HOST_CACHE_CAPACITY",
    "ASCEND_ENHANCE_ENABLE", "PYTORCH_NPU_ALLOC_CONF", "ASCEND_LAUNCH_BLOCKING", "HCCL_ALGO",
)  # fmt: skip


def rank_number() -> int | None:
    """The rank of this process: of torch.distributed where it is initialised, else $RANK, else None."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    given = os.environ.get("RANK", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) <= _LONGEST_RANK else None


class Metadata:
    """Facts that the program adds, and those about its surroundings."""

    def __init__(self) -> None:
        self._added: dict[str, Any] = {}
        self._trace_id_callback: Callable[[], str] | None = None
        self.trace_id = _new_trace_id()

    def add(self, key: object, value: object) -> None:
        """A text under a name; refused with one line if either is no text, or too long."""
        if self._accepts(key, value):
            self._added[str(key)] = value

    def add_json(self, key: object, value: object) -> None:
        """As `add`, the text is JSON and kept as what it means."""
        if not self._accepts(key, value):
            return
        try:
            self._added[str(key)] = _json_value(str(value))
        except (ValueError, RecursionError) as error:
            logger.warning("metadata %s is not kept: it is no JSON: %s", key, error)

    def set_trace_id_callback(self, callback: Callable[[], str] | None) -> None:
        """What names each recording from now on."""
        self._trace_id_callback = callback

    def renew_trace_id(self) -> None:
        """A trace id for the next recording: the callback's, if it gives a text of at most 1024 characters."""
        self.trace_id = _new_trace_id()
        if self._trace_id_callback is None:
            return
        try:
            given = self._trace_id_callback()
        except Exception as error:
            let_signals_through(error)
            logger.warning("the trace id callback failed (%s); %s is used instead", error, self.trace_id)
            return
        if is_text(given) and len(given) <= _LONGEST_TRACE_ID:
            self.trace_id = given
        else:
            text = "the trace id is no text of at most %d characters; %s is used"
            logger.warning(text, _LONGEST_TRACE_ID, self.trace_id)

    def content(self) -> dict[str, Any]:
        """Everything, as profiler_metadata.json holds it."""
        environment = {name: printable(os.environ.get(name, "")) for name in _ENVIRONMENT}
        return {**self._added, "ENV_VARIABLES": environment, **_groups(), "trace_id": self.trace_id}

    def _accepts(self, key: object, value: object) -> bool:
        if not (isinstance(key, str) and isinstance(value, str) and is_text(key) and is_text(value)):
            logger.warning("metadata %.40r is not kept: name and value have to be texts in UTF-8", key)
            return False
        if len(key) > _LONGEST or len(value) > _LONGEST:
            logger.warning("metadata %.40s is not kept: at most %d characters are allowed", key, _LONGEST)
            return False
        size = sum(sys.getsizeof(each) for pair in self._added.items() for each in pair)
        if size + sys.getsizeof(key) + sys.getsizeof(value) >= _MOST_BYTES:
            logger.warning("metadata %.40s is not kept: all together may have %d bytes", key, _MOST_BYTES)
            return False
        if key in self._added:
            logger.warning("metadata %s is replaced", key)
        return True


def _json_value(text: str) -> Any:
    """What JSON text means.  ValueError if it is none that everybody can read: NaN, halves of surrogate pairs, lists
    in lists in lists."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no number")

    value = json.loads(text, parse_constant=refuse)
    if not is_text(json.dumps(value, ensure_ascii=False)):
        raise ValueError("it holds half of a surrogate pair")
    if _depth(value) > _DEEPEST:
        raise ValueError(f"it is deeper than {_DEEPEST} lists and objects")
    return value


def _depth(value: Any) -> int:
    within = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if within is None else 1 + max(map(_depth, within), default=0)


def _new_trace_id() -> str:
    return uuid.uuid4().hex.upper()


def _groups() -> dict[str, Any]:
    """Process groups of torch.distributed: {group: {group_name, group_rank, global_ranks}}."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return {}
    found: dict[str, Any] = {}
    world = sys.modules["torch.distributed.distributed_c10d"]._world
    for group, ranks in world.pg_group_ranks.items():
        name = world.pg_names.get(group, "")
        is_default = group is distributed.group.WORLD
        found[str(name)] = {
            "group_name": "default_group" if is_default else str(name),
            "group_rank": ranks.get(distributed.get_rank(), -1),
            "global_ranks": sorted(ranks),
        }
    return {"parallel_group_info": found} if found else {}
