#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the recipe of Spack against CMakeLists.txt, without Spack: its version,
and that it has a package for each that CMake looks for, and no other.

    spack.py SOURCES
"""
import pathlib
import re
import sys
import types

# The package of Spack for each module of pkg-config.
PACKAGES = {"jansson": "jansson", "smartcols": "util-linux", "libdw": "elfutils",
            "libelf": "elfutils", "zlib": "zlib-api", "sqlite3>=3.36": "sqlite@3.36:",
            "otf2": "otf2"}


class CMakePackage:
    def define(self, name, value):
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}"


def load(path):
    """Returns the recipe's class, and what it calls: [(function, first argument)]."""
    calls = []
    names = {name: lambda first, name=name, **rest: calls.append((name, first))
             for name in ("license", "version", "variant", "depends_on")}
    for module in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems",
                   "spack_repo.builtin.build_systems.cmake", "spack", "spack.package"):
        sys.modules[module] = types.ModuleType(module)
    sys.modules["spack_repo.builtin.build_systems.cmake"].CMakePackage = CMakePackage
    sys.modules["spack.package"].__dict__.update(names)
    space = {}
    exec(compile(path.read_text(), path, "exec"), space)
    return space["Xferspy"], calls


sources = pathlib.Path(sys.argv[1])
cmake = (sources / "CMakeLists.txt").read_text()
recipe, calls = load(sources / "examples/centre/package.py")

want = {PACKAGES[module] for module in
        re.findall(r"^pkg_check_modules\(\w+ (?:REQUIRED )?IMPORTED_TARGET (\S+?)\)", cmake, re.M)}
want |= {"c", "pkgconfig", "xxhash", "cuda@12:",
         "cmake@" + re.search(r"VERSION (3[\d.]+)\)", cmake)[1] + ":"}
got = {name for function, name in calls if function == "depends_on"}
version = re.search(r"xferspy VERSION (\S+)", cmake)[1]

if got != want:
    sys.exit(f"dependencies: {sorted(got ^ want)} are in one of them alone")
if ("version", version) not in calls:
    sys.exit(f"the recipe lacks version {version}")
if recipe().cmake_args() != ["-DBUILD_TESTING:BOOL=OFF"]:
    sys.exit(f"options: {recipe().cmake_args()}")
