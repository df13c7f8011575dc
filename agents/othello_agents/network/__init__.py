"""Agents that play by a policy from a file in the safetensors or ONNX format."""
