"""Agents that play by a policy from a file, in the format safetensors or ONNX."""
