"""npuwh: the analysis warehouse for Ascend NPU profiles."""
