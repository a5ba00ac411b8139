"""Peak memory without the device: a training step runs on torch's `meta` device while every storage is accounted for.

`build_tools.measuring.predict` is what others call.
"""
