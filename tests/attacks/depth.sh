#!/bin/sh
# SPDX-License-Identifier: MIT
# The library takes at most 2 KiB of the program's stacks.
. "$(dirname "$0")/../e2e/lib.sh"
most=2048

# Binding a function at its first call would hide what follows. CUDA itself
# loads the library that the variable names, which takes 2 KiB.
export LD_BIND_NOW=1
plain env CUDA_INJECTION64_PATH=libm.so.6 "$XS_PROGRAMS/depth"
expect "plain: status" "$status" 3
mv out out.plain
for how in XFERSPY_MODE=trace XFERSPY_MODE=light XFERSPY_MODE=events \
	XFERSPY_MODE=calls XFERSPY_MODE=counters XFERSPY_RANGE=profiler \
	XFERSPY_MAX_SIZE=2M XFERSPY_HASH=full XFERSPY_DATAFLOW=all \
	XFERSPY_STACK=64 \
	"XFERSPY_LOG=$work/log"; do
	traced env "$how" "$XS_PROGRAMS/depth"
	expect "$how: status" "$status" 3
	read_report
	paste -d " " out.plain out | awk -v how="$how" -v most=$most '
		{ printf "%s %s: %d\n", how, $1, $4 - $2 }
		$4 - $2 > most { bad = 1 }
		END { exit bad }' >depths || fail "$(cat depths)"
done
