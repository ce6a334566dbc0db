#!/bin/sh
# SPDX-License-Identifier: MIT
# -DBUILD_TESTING=OFF builds the library and the command, and runs no nvcc.
# library_only.sh SOURCES CMAKE [HAVE_CUDA]
set -u
command -v ninja >/dev/null || {
	echo "skipped: no ninja"
	exit 77
}
. "$(dirname "$0")/../scratch.sh"

# A clone may lie anywhere, also below a folder of that name.
mkdir "$scratch/tests"
sources=$scratch/tests/examples
ln -s "$1" "$sources"
"$2" -S "$sources" -B "$scratch/build" -G Ninja -DBUILD_TESTING=OFF \
	>"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "cmake"
}
ninja -C "$scratch/build" -t commands all >"$scratch/steps" || fail "ninja"
for file in bin/xferspy ${3:+lib/libxferspy.so}; do
	grep -q "$file" "$scratch/steps" || fail "$file is not built"
done
# What the whole build reads; what it also writes is relative to its folder.
ninja -C "$scratch/build" -t inputs all >"$scratch/files" || fail "ninja"
grep -E '^(tests|examples)/' "$scratch/files" && fail "this is built, too"
grep -F -e "$sources/tests/" -e "$sources/examples/" "$scratch/files" &&
	fail "this is read, too"
exit $failed
