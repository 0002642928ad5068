"""Layout of the official databases in both column generations (ascend-db.md sections 3 to 8 and 10).

A table is a text of columns: `name` INTEGER, `name:t` TEXT, `name:n` NUMERIC, `name:r` REAL, `name!` the primary key.
"""

from __future__ import annotations

GENERATIONS = ("1.2.0", "1.0.0")

_TABLES = {
    "SESSION_TIME_INFO": "startTimeNs endTimeNs",
    "NPU_INFO": "id name:t",
    "HOST_INFO": "hostUid:t hostName:t",
    "RANK_DEVICE_MAP": "rankId deviceId",
    "META_DATA": "name:t value:t",
    "STRING_IDS": "id! value:t",
    "TASK": "startNs endNs deviceId connectionId globalTaskId globalPid taskType contextId streamId taskId modelId",
    "COMMUNICATION_SCHEDULE_TASK_INFO": "name globalTaskId! taskType opType",
    "CANN_API": "startNs endNs type globalTid connectionId! name",
    "MEMCPY_INFO": "globalTaskId:n size:n memcpyOperation:n",
    "MSTX_EVENTS": "startNs endNs eventType rangeId category message globalTid endGlobalTid domainId connectionId",
    "TASK_PMU_INFO": "globalTaskId name value:n",
    "NPU_MEM": "type ddr:n hbm:n timestampNs deviceId",
    "NPU_MODULE_MEM": "moduleId timestampNs totalReserved:n deviceId",
    "NPU_OP_MEM": "operatorName addr type size timestampNs globalTid totalAllocate:n totalReserve:n component deviceId",
    "HBM": "deviceId timestampNs bandwidth:n hbmId type",
    "LLC": "deviceId llcId timestampNs hitRate:r throughput mode",
    "HCCS": "deviceId timestampNs txThroughput:n rxThroughput:n",
    "ACC_PMU": "accId readBwLevel writeBwLevel readOstLevel writeOstLevel timestampNs:n deviceId",
    "SOC_BANDWIDTH_LEVEL": "l2BufferBwLevel mataBwLevel timestampNs:n deviceId",
    "CPU_USAGE": "timestampNs cpuId usage:n",
    "HOST_MEM_USAGE": "timestampNs usage:n",
    "PYTORCH_API": (
        "startNs:t endNs:t globalTid connectionId name sequenceNumber fwdThreadId inputDtypes inputShapes callchainId "
        "type"
    ),
    "CONNECTION_IDS": "id connectionId",
    "PYTORCH_CALLCHAINS": "id stack stackDepth",
    "STEP_TIME": "id startNs endNs",
    "GC_RECORD": "startNs endNs globalTid",
    "MEMORY_RECORD": "component timestamp totalAllocated totalReserved totalActive streamPtr deviceId",
    "OP_MEMORY": (
        "name size allocationTime releaseTime activeReleaseTime duration activeDuration allocationTotalAllocated "
        "allocationTotalReserved allocationTotalActive releaseTotalAllocated releaseTotalReserved releaseTotalActive "
        "streamPtr deviceId"
    ),
}
_COMPUTE = (
    "name globalTaskId! {block} {mix} taskType opType inputFormats inputDataTypes inputShapes outputFormats "
    "outputDataTypes outputShapes attrInfo"
)
_COMM_OP = "opName startNs endNs connectionId groupName opId! relay retry dataType algType count:n opType"
_COMM_TASK = (
    "name globalTaskId taskType planeId groupName notifyId rdmaType srcRank dstRank transportType size dataType "
    "linkType opId"
)
_ANALYSIS = {
    "StepTraceTime": (
        "deviceId step:t computing:n communication_not_overlapped:n overlapped:n communication:n free:n stage:n "
        "bubble:n communication_not_overlapped_and_exclude_receive:n preparing:n"
    ),
    "CommAnalyzerTime": (
        "hccl_op_name:t group_name:t start_timestamp:n elapse_time:n transit_time:n wait_time:n synchronization_time:n "
        "idle_time:n step:t type:t"
    ),
    "CommAnalyzerBandwidth": (
        "hccl_op_name:t group_name:t transport_type:t transit_size:n transit_time:n bandwidth:n large_packet_ratio:n "
        "package_size:n count:n total_duration:n step:t type:t"
    ),
    "CommAnalyzerMatrix": (
        "hccl_op_name:t group_name:t src_rank:t dst_rank:t transport_type:t transit_size:n transit_time:n bandwidth:n "
        "step:t type:t op_name:t"
    ),
}
INDEXES = {
    "TaskIndex": ("TASK", "startNs, globalTaskId"),
    "CommunicationTaskIndex": ("COMMUNICATION_TASK_INFO", "globalTaskId"),
}


def tables(generation: str) -> dict[str, str]:
    """Tables of a profiler database of schema `generation`, name to column text.

    Example: `"blockNum" in tables("1.2.0")["COMPUTE_TASK_INFO"]`
    """
    found = dict(_TABLES)
    if generation == "1.0.0":
        found["COMPUTE_TASK_INFO"] = _COMPUTE.format(block="blockDim", mix="mixBlockDim")
        found["COMMUNICATION_OP"] = _COMM_OP
        found["COMMUNICATION_TASK_INFO"] = _COMM_TASK
        found["AICORE_FREQ"] = "deviceId timestampNs:n freq"
    else:
        found["COMPUTE_TASK_INFO"] = (
            _COMPUTE.format(block="blockNum", mix="mixBlockNum") + " opState hf32Eligible gridDim blockDim"
        )
        found["COMMUNICATION_OP"] = _COMM_OP + " deviceId rankSize"
        found["COMMUNICATION_TASK_INFO"] = _COMM_TASK + " isMaster bandwidth:n"
        found["AICORE_FREQ"] = "deviceId timestampNs:n freq dieId:n"
    return found


def analysis_tables(generation: str) -> dict[str, str]:
    """Tables of analysis.db; the older generation has no deviceId in StepTraceTime."""
    found = dict(_ANALYSIS)
    if generation == "1.0.0":
        found["StepTraceTime"] = found["StepTraceTime"].removeprefix("deviceId ")
    return found


def enums(generation: str) -> dict[str, dict[int, str]]:
    """ENUM tables of a generation; the two give some numbers different names, as the real files do."""
    old = generation == "1.0.0"
    missing = {65534: "N/A", 65535: "INVALID_TYPE"}
    reserved = {} if old else {255: "RESERVED"}
    data_types = "INT8 INT16 INT32 FP16 FP32 INT64 UINT64 UINT8 UINT16 UINT32 FP64 BFP16 INT128".split()
    links = "ON_CHIP HCCS PCIE ROCE SIO HCCS_SW STANDARD_ROCE".split() + (["RESERVED"] if old else ["UB", "UBoE"])
    transports = "SDMA RDMA LOCAL".split() + ([] if old else ["UB", "ROCE"])
    sends = "RDMA_SEND_NOTIFY RDMA_SEND_PAYLOAD".split()
    if old:
        sends += "RDMA_PAYLOAD_PREPARE RDMA_PAYLOAD_CHECK RDMA_PAYLOAD_ACK RDMA_SEND_OP".split()
    found = {
        "ENUM_API_TYPE": {
            5000: "runtime", 5500: "hccl" if old else "communication", 10000: "node", 15000: "model", 20000: "acl",
            50001: "op", 50002: "queue", 50003: "trace", 50004: "mstx",
        },
        "ENUM_MODULE": {
            0: "SLOG", 2: "IDEDH" if old else "SCC", 3: "HCCL", 7: "RUNTIME", 22: "DEVMM", 33: "APP", 45: "GE",
            48: "ASCENDCL",
        },
        "ENUM_HCCL_DATA_TYPE": dict(enumerate(data_types)) | reserved | missing,
        "ENUM_HCCL_LINK_TYPE": dict(enumerate(links)) | reserved | missing,
        "ENUM_HCCL_TRANSPORT_TYPE": dict(enumerate(transports)) | reserved | missing,
        "ENUM_HCCL_RDMA_TYPE": dict(enumerate(sends)) | reserved | missing,
        "ENUM_MSTX_EVENT_TYPE": dict(enumerate(["marker", "push/pop", "start/end", "marker_ex"])),
    }  # fmt: skip
    if not old:
        copies = [
            "host to host", "host to device", "device to host", "device to device", "managed memory",
            "addr device to device", "host to device ex", "device to host ex",
        ]  # fmt: skip
        found["ENUM_MEMCPY_OPERATION"] = dict(enumerate(copies)) | {65535: "other"}
        kinds = ["COMPUTE", "COMMUNICATION", "COMM_NOT_OVERLAP_COMP", "FREE"]
        found["ENUM_OVERLAP_ANALYSIS_TYPE"] = dict(enumerate(kinds)) | {65535: "RESERVE"}
    return found
