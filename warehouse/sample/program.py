"""What the simulated program consists of: a small transformer, its operators and their kernels."""

from __future__ import annotations

from typing import NamedTuple

# core -> TASK.taskType, COMPUTE_TASK_INFO.taskType, blocks, mixed blocks
CORES = {
    "cube": ("KERNEL_AICORE", "AI_CORE", 8, 0),
    "vector": ("KERNEL_AIVEC", "AI_VECTOR_CORE", 16, 0),
    "mix": ("KERNEL_MIX_AIC", "MIX_AIC", 8, 16),
    "aicpu": ("KERNEL_AICPU", "AI_CPU", 1, 0),
}
COLUMNS = 256


class Operator(NamedTuple):
    """One framework operator and the kernel it launches.

    `chain` are the nested framework ranges, outermost first; `backward` names the autograd node and the operator in it;
    `duration_ns` is the nominal kernel time, `inputs` how many tensors of (rows, 256) it reads.
    """

    chain: tuple[str, ...]
    api: str
    op_type: str
    core: str
    duration_ns: int
    inputs: int
    module: str = ""
    source: str = ""
    backward: str = ""

    @property
    def kernel(self) -> str:
        return f"{self.api}_{self.op_type}{'AiCore' if self.core == 'vector' else ''}_{self.op_type}"

    @property
    def dtype(self) -> str:
        return "FLOAT" if self.core == "vector" else "FLOAT16"


_NN = "torch/nn/modules"
LAYER_NORM = Operator(
    ("aten::layer_norm", "aten::native_layer_norm"), "aclnnLayerNorm", "LayerNormV4", "vector", 9_000, 3,
    "LayerNorm", f"{_NN}/normalization.py(217): forward", "NativeLayerNormBackward0",
)  # fmt: skip
LINEAR = Operator(
    ("aten::linear", "aten::addmm"), "aclnnAddmm", "MatMulV2", "cube", 21_000, 2,
    "Linear", f"{_NN}/linear.py(125): forward", "AddmmBackward0",
)  # fmt: skip
ATTENTION = Operator(
    ("npu::npu_fusion_attention",), "aclnnFlashAttentionScore", "FlashAttentionScore", "mix", 34_000, 3,
    "Attention", "model.py(88): forward", "NpuFusionAttentionBackward0",
)  # fmt: skip
GELU = Operator(
    ("aten::gelu",), "aclnnGelu", "Gelu", "vector", 7_000, 1,
    "GELU", f"{_NN}/activation.py(734): forward", "GeluBackward0",
)  # fmt: skip
ADD = Operator(
    ("aten::add",), "aclnnAdd", "Add", "vector", 6_000, 2, "Residual", "model.py(61): forward", "AddBackward0"
)
FORWARD = (LAYER_NORM, LINEAR, ATTENTION, LINEAR, ADD, LAYER_NORM, LINEAR, GELU, LINEAR, ADD)

BACKWARD = {
    "NativeLayerNormBackward0": Operator(
        ("aten::native_layer_norm_backward",), "aclnnLayerNormBackward", "LayerNormGradV3", "vector", 14_000, 5
    ),
    "AddmmBackward0": Operator(("aten::mm",), "aclnnMatmul", "MatMulV3", "cube", 24_000, 2),
    "NpuFusionAttentionBackward0": Operator(
        ("npu::npu_fusion_attention_grad",), "aclnnFlashAttentionScoreGrad", "FlashAttentionScoreGrad", "mix", 48_000, 6
    ),
    "GeluBackward0": Operator(("aten::gelu_backward",), "aclnnGeluBackward", "GeluGrad", "vector", 8_000, 2),
    "AddBackward0": Operator(("aten::sum",), "aclnnReduceSum", "ReduceSum", "vector", 5_000, 1),
}
OPTIMIZER = (
    Operator(("aten::_foreach_mul_",), "aclnnForeachMulScalar", "ForeachMulScalar", "vector", 2_000, 1),
    Operator(("aten::_foreach_add_",), "aclnnForeachAddListV2", "ForeachAddList", "vector", 2_500, 2),
)
AICPU = Operator(("aten::nonzero",), "aclnnNonzero", "NonZero", "aicpu", 30_000, 1)
CAPTURED = (LINEAR, GELU, ADD, LINEAR, LAYER_NORM)

PMU_NAMES = (
    "aic_total_time aic_total_cycles aic_mac_time aic_mac_ratio aic_scalar_time aic_scalar_ratio aic_mte1_time "
    "aic_mte1_ratio aic_mte2_time aic_mte2_ratio aic_fixpipe_time aic_fixpipe_ratio aic_icache_miss_rate "
    "aiv_total_time aiv_total_cycles aiv_vec_time aiv_vec_ratio aiv_mac_time aiv_mac_ratio aiv_scalar_time "
    "aiv_scalar_ratio aiv_mte1_time aiv_mte1_ratio aiv_mte2_time aiv_mte2_ratio aiv_mte3_time aiv_mte3_ratio "
    "aiv_icache_miss_rate"
).split()
FREQUENCY_MHZ = 1000


def pmu_values(core: str, duration_ns: int, shade: float) -> list[float]:
    """Values of PMU_NAMES for one execution; times in ns; `shade` in 0..1 varies the ratios from run to run."""
    busy = {"cube": (1, 0), "vector": (0, 1), "mix": (1, 1), "aicpu": (0, 0)}[core]
    cube, vector = (duration_ns * 0.95 * on for on in busy)
    values: list[float] = []
    for total, ratios, misses in (
        (cube, (0.62 + shade / 8, 0.07, 0.21, 0.33 + shade / 8, 0.11), 0.012),
        (vector, (0.44 + shade / 8, 0.0, 0.05, 0.0, 0.31 + shade / 8, 0.22), 0.02),
    ):
        values += [total, round(total * FREQUENCY_MHZ / 1000)]
        for ratio in ratios:
            values += [total * ratio, ratio if total else 0]
        values.append(misses if total else 0)
    return values
