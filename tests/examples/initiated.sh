#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs whose kernels may start transfers give the right result by copies. The
# simulated device runs the blocks of a kernel one after the other: by flags they
# wait for each other, and have to say so and end.
# initiated.sh PROGRAMS LIBRARIES
# LIBRARIES: the folder of the simulated device.
set -u
export LD_LIBRARY_PATH="$2"
failed=0

# expect CODE TEXT COMMAND...: its exit code, and text in its output
expect() {
	code=$1 text=$2
	shift 2
	output=$(timeout 1800 "$@" 2>&1)
	got=$?
	if [ "$got" -ne "$code" ] || ! echo "$output" | grep -q "$text"; then
		echo "$*: exit code $got, not $code with \"$text\":"
		echo "$output"
		failed=1
	fi
}

for program in convergence halo levels nearest; do
	expect 0 '"round_ns": [1-9][0-9]*, "host_ns": [0-9]' "$1/initiated/$program" copies 5
done
expect 3 'the kernel did not end round 1 within 3 s' "$1/initiated/levels" flags 5
exit $failed
