"""What the official format has: tables, and the columns without which a table says nothing (ascend-db.md)."""

from __future__ import annotations

_TABLES = {
    "STRING_IDS": "id value",
    "TASK": "startNs endNs deviceId connectionId globalTaskId taskType streamId taskId",
    "COMPUTE_TASK_INFO": "name globalTaskId",
    "COMMUNICATION_SCHEDULE_TASK_INFO": "name globalTaskId",
    "COMMUNICATION_OP": "opName startNs endNs connectionId opId",
    "COMMUNICATION_TASK_INFO": "name globalTaskId",
    "CANN_API": "startNs endNs type globalTid connectionId name",
    "MEMCPY_INFO": "globalTaskId size memcpyOperation",
    "MSTX_EVENTS": "startNs endNs eventType message globalTid",
    "TASK_PMU_INFO": "globalTaskId name value",
    "OVERLAP_ANALYSIS": "deviceId startNs endNs type",
    "NPU_MEM": "type ddr hbm timestampNs deviceId",
    "NPU_MODULE_MEM": "moduleId timestampNs totalReserved deviceId",
    "NPU_OP_MEM": "operatorName addr type size timestampNs globalTid totalAllocate totalReserve component deviceId",
    "MEMORY_RECORD": "component timestamp totalAllocated totalReserved totalActive streamPtr deviceId",
    "OP_MEMORY": (
        "name size allocationTime releaseTime activeReleaseTime allocationTotalAllocated allocationTotalReserved "
        "allocationTotalActive releaseTotalAllocated releaseTotalReserved releaseTotalActive streamPtr deviceId"
    ),
    "PYTORCH_API": "startNs endNs globalTid connectionId name type",
    "CONNECTION_IDS": "id connectionId",
    "PYTORCH_CALLCHAINS": "id stack stackDepth",
    "STEP_TIME": "id startNs endNs",
    "GC_RECORD": "startNs endNs globalTid",
    "RANK_DEVICE_MAP": "rankId deviceId",
    "HOST_INFO": "hostUid hostName",
    "META_DATA": "name value",
    "SESSION_TIME_INFO": "startTimeNs endTimeNs",
    "NPU_INFO": "id name",
    "AICORE_FREQ": "deviceId timestampNs freq",
    "HBM": "deviceId timestampNs bandwidth hbmId type",
    "DDR": "deviceId timestampNs read write",
    "LLC": "deviceId llcId timestampNs hitRate throughput mode",
    "HCCS": "deviceId timestampNs txThroughput rxThroughput",
    "PCIE": "deviceId timestampNs",
    "NIC": "deviceId timestampNs",
    "ROCE": "deviceId timestampNs",
    "NETDEV_STATS": "deviceId timestampNs",
    "ACC_PMU": "accId readBwLevel writeBwLevel readOstLevel writeOstLevel timestampNs deviceId",
    "SOC_BANDWIDTH_LEVEL": "l2BufferBwLevel mataBwLevel timestampNs deviceId",
    "QOS": "deviceId eventName bandwidth timestampNs",
    "CPU_USAGE": "timestampNs cpuId usage",
    "HOST_MEM_USAGE": "timestampNs usage",
    "HOST_DISK_USAGE": "timestampNs",
    "HOST_NETWORK_USAGE": "timestampNs",
    "SAMPLE_PMU_TIMELINE": "deviceId timestampNs coreId coreType",
    "UB": "deviceId portId timestampNs",
    "SIO": "deviceId name timestampNs",
    "sqlite_sequence": "name seq",
    # analysis.db
    "StepTraceTime": "step computing communication_not_overlapped overlapped communication free stage bubble preparing",
    "CommAnalyzerTime": (
        "hccl_op_name group_name start_timestamp elapse_time transit_time wait_time synchronization_time idle_time"
    ),
    "CommAnalyzerBandwidth": "hccl_op_name group_name transport_type transit_size transit_time bandwidth",
    "CommAnalyzerMatrix": (
        "hccl_op_name group_name src_rank dst_rank transport_type transit_size transit_time bandwidth"
    ),
}
# part of the format, but the warehouse has no place for them yet
NO_PLACE = {
    "SAMPLE_PMU_SUMMARY": "sums over a whole sampling session have no table",
    "OSRT_API": "calls of the operating system's runtime have no table",
    "CCU": "missions of the collective unit have no table",
    "DPU_TASK": "tasks of a DPU have no table",
}
REQUIRED = {name: tuple(columns.split()) for name, columns in _TABLES.items()}
KNOWN = frozenset(REQUIRED) | frozenset(NO_PLACE)
# a file in which one of these is broken is no profiler database that could be read
ESSENTIAL = frozenset({"STRING_IDS", "TASK", "PYTORCH_API", "CANN_API"})

# ENUM_API_TYPE where the file has none
API_LEVELS = {"acl": 20000, "model": 15000, "node": 10000, "communication": 5500, "runtime": 5000}
PYTORCH_TYPES = {"op": 50001, "queue": 50002, "trace": 50003}
# newer files lift queue numbers into a range of their own in CONNECTION_IDS
QUEUE_OFFSET = 5 << 28
