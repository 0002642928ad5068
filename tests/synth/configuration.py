"""The configuration of a PROF directory: info.json, sample.json, start_info, end_info, logs of the clocks."""

import json

from . import codes


def _sample(device, level, pmu):
    state = "on" if pmu else "off"
    aic, aiv = (",".join(map(hex, events)) for events in (codes.AIC_EVENTS, codes.AIV_EVENTS))
    return {
        "devices": str(device),
        "result_dir": "",
        "profLevel": level,
        "prof_level": "level1" if level == "l1" else "level0",
        "ai_core_profiling": state,
        "ai_core_profiling_mode": "task-based",
        "ai_core_metrics": codes.AIC_METRIC,
        "ai_core_profiling_events": aic,
        "aicore_sampling_interval": 10,
        "aiv_profiling": state,
        "aiv_profiling_mode": "task-based",
        "aiv_metrics": codes.AIV_METRIC,
        "aiv_profiling_events": aiv,
        "aiv_sampling_interval": 10,
        "hbm_profiling_events": "read,write",
        "llc_profiling": "",
        "instr_profiling_freq": 0,
        "hccl": "on",
        "ts_keypoint": "on",
        "stars_acsq_task": "on",
        "ai_core_status": "",
        "dynamic": "off",
    }


def _info(device, clock, is_host, identity):
    about_device = {
        "id": device,
        "env_type": 3,
        "ctrl_cpu_id": "ARMv8_Cortex_A55",
        "ctrl_cpu_core_num": 1,
        "ctrl_cpu_endian_little": 1,
        "ts_cpu_core_num": 0,
        "ai_cpu_core_num": 6,
        "ai_core_num": 24,
        "ai_cpu_core_id": 2,
        "ai_core_id": 0,
        "aicpu_occupy_bitmap": 252,
        "ctrl_cpu": "0",
        "ai_cpu": "2,3,4,5,6,7",
        "aiv_num": 48,
        "hwts_frequency": f"{clock.dev_mhz:.6f}",
        "aic_frequency": "1650",
        "aiv_frequency": "1650",
    }
    host_cpu = {
        "Id": 0,
        "Name": "HiSilicon",
        "Frequency": clock.host_mhz_text,
        "Logical_CPU_Count": 8,
        "Type": "TaishanV110",
    }
    return {
        "version": "1.0",
        "drvVersion": 467732,
        "cannVersion": "8.5.0",
        "platform_version": "5",
        "jobInfo": "NA",
        "devices": str(device),
        "pid": "1000",
        "pid_name": "synth",
        "hostname": "localhost",
        "hostUid": "123456789",
        "OS": "Linux",
        "cpuNums": 8,
        "cpuCores": 8,
        "sysClockFreq": 100,
        "memoryTotal": 1584499360,
        "netCardNums": 1,
        "netCard": [{"netCardName": "eth0", "speed": 10000}],
        "upTime": "1 1",
        "rank_id": 0,
        "CPU": [host_cpu],
        "DeviceInfo": [] if is_host else [about_device],
        **identity,
    }


def configuration(clock, level, duration, device=None, identity=None, pmu=True):
    """File names, relative to `host` or `device_N`, and their texts.

    device: None for the host.  level: profLevel.  duration: ns.  identity: replaces keys of info.json.

    >>> from .clock import Clock
    >>> print(configuration(Clock(), "l1", 0, device=0)["dev_start.log.0"])
    clock_realtime:1700902984041176000
    clock_monotonic_raw:8716646548578
    cntvct:435982077428
    <BLANKLINE>
    """
    is_host, number = device is None, 64 if device is None else device
    tail = "" if is_host else f".{device}"
    end_us, end_mono = clock.wall_us + (duration + 10_000_000) // 1000, clock.mono_ns + duration + 10_000_000
    begin = {
        "collectionDateBegin": "2023-11-25 09:03:04.041176",
        "collectionDateEnd": "",
        "collectionTimeBegin": str(clock.wall_us),
        "collectionTimeEnd": "",
        "clockMonotonicRaw": str(clock.mono_ns),
    }
    end = {
        "collectionDateBegin": "",
        "collectionDateEnd": "2023-11-25 09:03:06.330096",
        "collectionTimeBegin": "",
        "collectionTimeEnd": str(end_us),
        "clockMonotonicRaw": str(end_mono),
    }
    made = {
        f"info.json{tail}": json.dumps(_info(number, clock, is_host, identity or {})),
        "sample.json": json.dumps(_sample(number, level, pmu)),
        f"start_info{tail}": json.dumps(begin),
        f"end_info{tail}": json.dumps(end),
        f"host_start.log{tail}": (
            f"[{'Host' if is_host else f'Device{device}'}]\n"
            f"clock_realtime:{clock.sync_wall_ns}\n"
            f"clock_monotonic_raw:{clock.sync_mono_ns}\n"
            f"cntvct:{clock.host_cnt}\ncntvct_diff:0\n"
        ),
    }
    if not is_host:
        made[f"dev_start.log{tail}"] = (
            f"clock_realtime:{clock.wall_us * 1000}\n"
            f"clock_monotonic_raw:{clock.sync_mono_ns - 3_000_000_000}\ncntvct:{clock.dev_cnt}\n"
        )
    return made


def write_configuration(folder, *arguments, **options):
    """`configuration` as files below folder, and its `data` folder."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for name, text in configuration(*arguments, **options).items():
        (folder / name).write_text(text, encoding="utf-8")
