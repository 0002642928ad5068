"""profiler_info[_<rank>].json and profiler_metadata.json of a run directory."""

import json
import random

from .model import GROUPS

LEVELS = {"l0": "Level0", "l1": "Level1", "l2": "Level2"}
VARIABLES = (
    "ASCEND_GLOBAL_LOG_LEVEL HCCL_RDMA_TC HCCL_RDMA_SL ACLNN_CACHE_LIMIT HOST_CACHE_CAPACITY ASCEND_ENHANCE_ENABLE "
    "PYTORCH_NPU_ALLOC_CONF ASCEND_LAUNCH_BLOCKING HCCL_ALGO"
).split()


def _activity(options):
    schedule = {
        "wait": 1, "active": options.steps, "warmup": 1, "repeat": 1, "skip_first": 1, "skip_first_wait": 0,
    }  # fmt: skip
    return {
        "activities": ["ProfilerActivity.CPU", "ProfilerActivity.NPU"],
        "schedule": schedule,
        "record_shapes": True,
        "profile_memory": not options.no_memory,
        "with_stack": options.with_stack,
        "with_flops": False,
        "with_modules": options.with_stack,
    }


def _experimental(options):
    return {
        "_profiler_level": LEVELS[options.level],
        "_aic_metrics": "ACL_AICORE_NONE" if options.level == "l0" else "ACL_AICORE_PIPE_UTILIZATION",
        "_l2_cache": False,
        "_msprof_tx": False,
        "_mstx": False,
        "_data_simplification": True,
        "record_op_args": False,
        "_export_type": ["text", "db"],
        "_host_sys": [],
        "_op_attr": False,
        "_gc_detect_threshold": 1.0 if options.gc else None,
        "_mstx_domain_include": [],
        "_mstx_domain_exclude": [],
        "_sys_io": False,
        "_sys_interconnection": False,
    }


def profiler_info(options, rank, clock, duration):
    """duration: ns from the synchronisation point to the end."""
    end_mono = clock.sync_mono_ns + duration + 3_000_000
    info = {
        "config": {"common_config": _activity(options), "experimental_config": _experimental(options)},
        "start_info": {
            "syscnt_enable": not options.x86,
            "freq": 100,
            "start_cnt": 0 if options.x86 else clock.host_cnt,
            "start_monotonic": clock.sync_mono_ns,
        },
        "end_info": {
            "collectionTimeEnd": clock.wall_us * 1000 + end_mono - clock.mono_ns,
            "MonotonicTimeEnd": end_mono,
        },
        "torch_npu_version": "2.14.0",
        "cann_version": "8.5.0",
    }
    if not options.no_rank_id:
        info["rank_id"] = rank
    return info


def profiler_metadata(options, rank):
    metadata = {"model_name": "synthetic transformer", "ENV_VARIABLES": dict.fromkeys(VARIABLES, "")}
    world = {"group_name": "default_group", "group_rank": rank, "global_ranks": list(range(options.ranks))}
    groups = {GROUPS["world"]: world}
    if options.p2p and options.ranks > 1:
        pair = {"group_name": "pp", "group_rank": rank & 1, "global_ranks": [rank & ~1, rank | 1]}
        groups = {GROUPS["pipe"]: pair, **groups}
    if options.ranks > 1 or options.collectives:
        metadata["parallel_group_info"] = groups
    metadata["trace_id"] = f"{random.Random(options.seed * 7919 + rank).getrandbits(128):032X}"
    return metadata


def write_profiler_json(folder, options, rank, clock, duration):
    """Both files, with the indentation that the profiler gives them."""
    suffix = "" if options.no_rank_id else f"_{rank}"
    info = json.dumps(profiler_info(options, rank, clock, duration), indent=4)
    (folder / f"profiler_info{suffix}.json").write_text(info, encoding="utf-8")
    (folder / "profiler_metadata.json").write_text(json.dumps(profiler_metadata(options, rank)), encoding="utf-8")
