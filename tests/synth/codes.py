"""Numbers of the raw formats, and the names that the type dictionary gives to those that are free to choose."""

MAGIC = 0x5A5A  # begins every host record
STARS_MAGIC = 0x6BD3  # second half word of every record of the hardware log

L_ACL, L_MODEL, L_NODE, L_AICPU, L_COMM, L_RUNTIME = 20000, 15000, 10000, 6000, 5500, 5000
LEVELS = {
    L_ACL: "acl",
    L_MODEL: "model",
    L_NODE: "node",
    L_AICPU: "aicpu",
    L_COMM: "communication",
    L_RUNTIME: "runtime",
}

# calls: the high half word is the class of call, the low one is free
ACL_NN_ADD, ACL_NN_MATMUL = 0x050001, 0x050002
ACL_RT_MEMCPY = 0x030001
ACL_EVENT_RECORD, ACL_EVENT_WAIT, ACL_SYNCHRONIZE = 0x030011, 0x030012, 0x030013
ACL_HCCL = 0x070001
ACL_GRAPH_BEGIN, ACL_GRAPH_END, ACL_GRAPH_EXEC = 0x0A0001, 0x0A0002, 0x0A0003
ACL_NN_FIRST, ACL_HCCL_FIRST = 0x050100, 0x070100  # allocated on first use from here on
NODE_BASIC, NODE_TENSOR, NODE_CTX, NODE_LAUNCH, NODE_MEM = 0, 1, 4, 5, 6
NODE_ATTR, NODE_HCCL_OP_INFO = 9, 10
NODE_HCCL_API = 0x020001
HCCL_MASTER, HCCL_SLAVE, HCCL_INFO = 0x010001, 0x010002, 0x010010
RT_TASK_TRACK, RT_MEMCPY_INFO, RT_CAPTURE_STREAM, RT_OP_INFO = 800, 801, 802, 803
RT_KERNEL_LAUNCH, RT_MEMCPY_ASYNC_API, RT_MODEL_EXECUTE_API = 1003, 1015, 1024

# task types of the runtime, inside task_track
T_AICORE, T_AICPU, T_EVENT_RECORD, T_EVENT_WAIT, T_MEMCPY, T_MAINTENANCE = 0, 1, 2, 3, 5, 6
T_MODEL_EXECUTE, T_NOTIFY_WAIT, T_NOTIFY_RECORD, T_AIVEC, T_FLIP = 13, 38, 37, 66, 98
T_MIX_AIC = 108

TYPE_NAMES = {
    (L_ACL, ACL_NN_ADD): "aclnnAdd",
    (L_ACL, ACL_NN_MATMUL): "aclnnMatmul",
    (L_ACL, ACL_RT_MEMCPY): "aclrtMemcpyAsync",
    (L_ACL, ACL_HCCL): "HcclAllReduce",
    (L_ACL, ACL_GRAPH_BEGIN): "aclmdlRICaptureBegin",
    (L_ACL, ACL_GRAPH_END): "aclmdlRICaptureEnd",
    (L_ACL, ACL_GRAPH_EXEC): "aclmdlRIExecuteAsync",
    (L_NODE, NODE_BASIC): "node_basic_info",
    (L_NODE, NODE_TENSOR): "tensor_info",
    (L_NODE, NODE_CTX): "context_id_info",
    (L_NODE, NODE_LAUNCH): "launch",
    (L_NODE, NODE_MEM): "task_memory_info",
    (L_NODE, NODE_ATTR): "node_attr_info",
    (L_NODE, NODE_HCCL_OP_INFO): "hccl_op_info",
    (L_NODE, NODE_HCCL_API): "hcom_allReduce_",
    (L_COMM, HCCL_MASTER): "master",
    (L_COMM, HCCL_SLAVE): "slave",
    (L_COMM, HCCL_INFO): "hccl_info",
    (L_RUNTIME, RT_TASK_TRACK): "task_track",
    (L_RUNTIME, RT_MEMCPY_INFO): "memcpy_info",
    (L_RUNTIME, RT_CAPTURE_STREAM): "capture_stream_info",
    (L_RUNTIME, RT_OP_INFO): "capture_op_info",
    (L_RUNTIME, RT_KERNEL_LAUNCH): "KernelLaunch",
    (L_RUNTIME, RT_MEMCPY_ASYNC_API): "MemCopyAsync",
    (L_RUNTIME, RT_MODEL_EXECUTE_API): "ModelExecute",
    (L_RUNTIME, T_AICORE): "KERNEL_AICORE",
    (L_RUNTIME, T_AICPU): "KERNEL_AICPU",
    (L_RUNTIME, T_EVENT_RECORD): "EVENT_RECORD",
    (L_RUNTIME, T_MEMCPY): "MEMCPY_ASYNC",
    (L_RUNTIME, T_MAINTENANCE): "MAINTENANCE",
    (L_RUNTIME, T_MODEL_EXECUTE): "MODEL_EXECUTE",
    (L_RUNTIME, T_NOTIFY_WAIT): "NOTIFY_WAIT",
    (L_RUNTIME, T_NOTIFY_RECORD): "NOTIFY_RECORD",
    (L_RUNTIME, T_AIVEC): "KERNEL_AIVEC",
    (L_RUNTIME, T_FLIP): "FLIP_TASK",
    (L_RUNTIME, T_MIX_AIC): "KERNEL_MIX_AIC",
}
# what a training process calls besides
TRAINING_TYPE_NAMES = {
    (L_RUNTIME, T_EVENT_WAIT): "EVENT_WAIT",
    (L_ACL, ACL_EVENT_RECORD): "aclrtRecordEvent",
    (L_ACL, ACL_EVENT_WAIT): "aclrtStreamWaitEvent",
    (L_ACL, ACL_SYNCHRONIZE): "aclrtSynchronizeStreamWithTimeout",
}

# task types of the graph engine, inside node_basic_info and capture_op_info
GE_AI_CORE, GE_AI_CPU, GE_AIV, GE_MIX_AIC, GE_COMMUNICATION = 0, 1, 2, 4, 9
# types of queue entries on the device, 6 bits of the head of the hardware log
SQE_AICORE, SQE_AICPU, SQE_AIV, SQE_EVENT_RECORD, SQE_EVENT_WAIT = 0, 1, 2, 4, 5
SQE_NOTIFY_RECORD, SQE_NOTIFY_WAIT, SQE_SDMA = 6, 7, 11
SUB_MIX_AIC = 6
FMT_ND, DT_FLOAT, DT_FLOAT16 = 2, 0, 1

# PMU events of the default group on this chip: the cube counts the "Exct" variant
AIC_METRIC, AIC_EVENTS = "PipeUtilizationExct", (0x416, 0x417, 0x9, 0x302, 0xC, 0x303, 0x54, 0x55)
AIV_METRIC, AIV_EVENTS = "PipeUtilization", (0x8, 0xA, 0x9, 0xB, 0xC, 0xD, 0x54, 0x55)


def fnv_hash(text: str) -> int:
    """A number for a text, never 0; any number does, as only the dictionary gives it a meaning.

    >>> hex(fnv_hash("a"))
    '0xaf63dc4c8601ec8c'
    """
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value or 1
