# SPDX-License-Identifier: MIT
"""Recipe for Spack 1.0 or newer: packages/xferspy/package.py of a repository.
In the sources of xferspy: spack dev-build xferspy@0.2.0"""
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Xferspy(CMakePackage):
    """Predicts how much time other data transfers would save a CUDA program."""

    license("MIT")
    version("0.2.0")
    variant("otf2", default=False, description="xferspy export --to otf2")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cuda@12:", type="build")  # its headers alone
    depends_on("xxhash", type="build")
    depends_on("jansson")
    depends_on("util-linux")  # libsmartcols
    depends_on("elfutils")  # libdw, libelf
    depends_on("sqlite@3.36:")
    depends_on("zlib-api")
    depends_on("otf2", when="+otf2")

    def cmake_args(self):
        return [self.define("BUILD_TESTING", False)]
