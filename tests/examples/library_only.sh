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

"$2" -S "$1" -B "$scratch/build" -G Ninja -DBUILD_TESTING=OFF \
	>"$scratch/out" 2>&1 || {
	cat "$scratch/out"
	fail "cmake"
}
# The commands of the whole build.
ninja -C "$scratch/build" -t commands all >"$scratch/steps" || fail "ninja"
for file in bin/xferspy ${3:+lib/libxferspy.so}; do
	grep -q "$file" "$scratch/steps" || fail "$file is not built"
done
grep -E '[ /](tests|examples)/' "$scratch/steps" && fail "this is built, too"
exit $failed
