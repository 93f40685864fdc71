"""Checkpoints as files for other programs: ONNX, OpenVINO, int8, and what int8 loses."""
