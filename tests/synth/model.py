"""What the simulated program consists of: kernels, layers of a network with their gradients, collectives."""

from . import codes

VARIANTS = 5  # shapes differ from operator to operator in a cycle of this length
CXX_TYPES = {codes.DT_FLOAT: "float", codes.DT_FLOAT16: "c10::Half"}
ELEMENT_BYTES = {codes.DT_FLOAT: 4, codes.DT_FLOAT16: 2}

# core -> task type of the graph engine, of the runtime, of the device's queue; blocks
CORES = {
    "aiv": (codes.GE_AIV, codes.T_AIVEC, codes.SQE_AIV, 40),
    "aic": (codes.GE_AI_CORE, codes.T_AICORE, codes.SQE_AICORE, 20),
    "mix": (codes.GE_MIX_AIC, codes.T_MIX_AIC, codes.SQE_AICORE, 2 << 16 | 20),
    "aicpu": (codes.GE_AI_CPU, codes.T_AICPU, codes.SQE_AICPU, 1),
}


class Kernel:
    """An operator of the operator library: CANN call, kernel name and type, core, nominal duration, tensors.

    shapes: a text a tensor, "R" rows, "C" columns, "K" inner; the last one is the output.

    >>> kernel = Kernel("aclnnGelu", "Gelu", "aiv", 6_000, "RC", "RC")
    >>> kernel.name, kernel.dims(1)
    ('aclnnGelu_GeluAiCore_Gelu', [(128, 256), (128, 256)])
    """

    def __init__(self, api, op_type, core, duration, *shapes):
        self.api, self.op_type, self.core, self.duration, self.shapes = api, op_type, core, duration, shapes
        self.name = f"{api}_{op_type}AiCore_{op_type}" if core == "aiv" else f"{api}_{op_type}_{op_type}"
        self.ge_type, self.rt_type, self.sqe, self.blocks = CORES[core]
        self.dtype = codes.DT_FLOAT16 if core in ("aic", "mix") else codes.DT_FLOAT
        sizes = [{"R": 64 * (variant + 1), "C": 256, "K": 128, "1": 1} for variant in range(VARIANTS)]
        self._dims = [[tuple(size[letter] for letter in text) for text in shapes] for size in sizes]
        # as the framework tells of the inputs, and of a scalar that comes with them
        self.dtype_texts = [*[CXX_TYPES[self.dtype]] * (len(shapes) - 1), "Scalar"]
        self.shape_texts = [[*(",".join(map(str, shape)) for shape in dims[:-1]), ""] for dims in self._dims]

    def dims(self, variant):
        return self._dims[variant]

    def tensors(self, variant):
        dims = self.dims(variant)
        return [(int(place == len(dims) - 1), codes.FMT_ND, self.dtype, shape) for place, shape in enumerate(dims)]


KERNELS = {
    "layer_norm": Kernel("aclnnLayerNorm", "LayerNormV4", "aiv", 9_000, "RC", "C", "C", "RC"),
    "layer_norm_grad": Kernel(
        "aclnnLayerNormBackward", "LayerNormGradV3", "aiv", 14_000, "RC", "RC", "C", "C", "C", "RC"
    ),
    "linear": Kernel("aclnnAddmm", "MatMulV2", "aic", 16_000, "RC", "CK", "RK"),
    "linear_grad": Kernel("aclnnMatmul", "MatMulV3", "aic", 18_000, "RK", "KC", "RC"),
    "gelu": Kernel("aclnnGelu", "Gelu", "aiv", 6_000, "RC", "RC"),
    "gelu_grad": Kernel("aclnnGeluBackward", "GeluGrad", "aiv", 8_000, "RC", "RC", "RC"),
    "add": Kernel("aclnnAdd", "Add", "aiv", 5_000, "RC", "RC", "RC"),
    "add_grad": Kernel("aclnnReduceSum", "ReduceSum", "aiv", 7_000, "RC", "1C"),
    "attention": Kernel("aclnnFlashAttentionScore", "FlashAttentionScore", "mix", 30_000, "1RK", "1RK", "1RK", "1RK"),
    "attention_grad": Kernel(
        "aclnnFlashAttentionScoreGrad", "FlashAttentionScoreGrad", "mix", 44_000,
        "1RK", "1RK", "1RK", "1RK", "1RK", "1RK",
    ),
    "foreach_mul": Kernel("aclnnForeachMulScalar", "ForeachMulScalar", "aiv", 10_000, "CK", "CK"),
    "foreach_add": Kernel("aclnnForeachAddListV2", "ForeachAddList", "aiv", 12_000, "CK", "CK", "CK"),
    "unique": Kernel("aclnnUnique2", "UniqueWithCounts", "aicpu", 50_000, "C", "C"),
}  # fmt: skip


class Layer:
    """A forward operator with its backward counterpart."""

    def __init__(self, module, frame, builtin, outer, inner, node, grad_op, kernel):
        self.module, self.frame, self.builtin = module, frame, f"<built-in function {builtin}>"
        self.outer, self.inner, self.node, self.grad_op = outer, inner, node, grad_op
        self.kernel, self.grad_kernel = KERNELS[kernel], KERNELS[f"{kernel}_grad"]


LAYERS = {
    "norm": Layer(
        "LayerNorm", "torch/nn/modules/normalization.py(217): forward", "layer_norm", "aten::layer_norm",
        "aten::native_layer_norm", "NativeLayerNormBackward0", "aten::native_layer_norm_backward", "layer_norm",
    ),
    "linear": Layer(
        "Linear", "torch/nn/modules/linear.py(124): forward", "linear", "aten::linear",
        "aten::addmm", "AddmmBackward0", "aten::mm", "linear",
    ),
    "gelu": Layer(
        "GELU", "torch/nn/modules/activation.py(729): forward", "gelu", "aten::gelu",
        None, "GeluBackward0", "aten::gelu_backward", "gelu",
    ),
    "add": Layer(None, None, "add", "aten::add", None, "AddBackward0", "aten::sum", "add"),
    "attention": Layer(
        "Attention", "model.py(88): forward", "npu_fusion_attention", "npu::npu_fusion_attention",
        None, "NpuFusionAttentionBackward0", "npu::npu_fusion_attention_grad", "attention",
    ),
}  # fmt: skip
ORDER = ("norm", "linear", "attention", "linear", "add", "norm", "linear", "gelu", "linear", "add")
GRAPH_ORDER = ("linear", "gelu", "add", "linear")  # at most three tensors: they fit the fixed record of the cache
OPTIMIZER = (("aten::_foreach_mul_", KERNELS["foreach_mul"]), ("aten::_foreach_add_", KERNELS["foreach_add"]))

# kind -> name in the queue, name of the acl and node calls, operator
COLLECTIVES = {
    "allReduce": ("HcclAllreduce", "hcom_allReduce_", "c10d::allreduce_"),
    "allGather": ("HcclAllgather", "hcom_allGather_", "c10d::_allgather_base_"),
    "send": ("HcclSend", "hcom_send_", "c10d::send"),
    "receive": ("HcclRecv", "hcom_receive_", "c10d::recv_"),
}
GROUPS = {
    "world": "10.0.0.1%enp189s0f0_60000_0_1700902984000000",
    "pipe": "10.0.0.1%enp189s0f0_60000_0_1700902984000077",
}
