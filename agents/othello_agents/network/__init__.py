"""Policies from a file: safetensors and ONNX."""
