#!/bin/sh
# SPDX-License-Identifier: MIT
# Every variant of each pattern gives the CPU's result, with pieces that divide
# the work and that do not.
# patterns.sh PROGRAMS LIBRARIES
# PROGRAMS: the folder of the programs; LIBRARIES: of the simulated device.
set -u
programs=$1
export LD_LIBRARY_PATH="$2"
failed=0

# right PROGRAM VARIANTS ARGS...: all its variants, so many measurements.
right() {
	program=$1
	variants=$2
	shift 2
	output=$("$programs/$program" --variant all --rounds 3 "$@" 2>&1)
	code=$?
	got=$(echo "$output" | grep -c ': ok$')
	if [ "$code" -ne 0 ] || [ "$got" -ne "$variants" ]; then
		echo "failed ($code, $got of $variants right): $program $*"
		echo "$output"
		failed=1
	fi
}

# 8193 ints: 33 blocks, 257 warps, the last of one int. Two numbers of streams
# in two orders are 3 measurements more.
streams="--streams 2,3 --order depth,breadth"
# shellcheck disable=SC2086 # a list of words
{
	right fresh_buffers 8 --n 32772 $streams
	right constants 9 --n 32772 $streams
	right engines 8 --n 32772 $streams
	right fresh_pinned 7 --n 32772 $streams
	right host_between 7 --n 32772 $streams
	right huge 8 --n 32772 $streams
	right launches 7 --n 4100 $streams
	right pieces 7 --n 32768 --piece-kb 4 $streams
	right pieces 7 --n 40000 --piece-kb 8 $streams
	right small_waits 8 $streams
	right strided 11 --n 32772 $streams
	right warm_up 8 --n 32772 $streams
}
right carried 3 --n 32772
right converge 4 --n 32772
right layers 3 --n 1028
right solver 4 --n 20480 # 5 rows of 1024
right tiles 3 --n 45056	 # 11 rows: a block and a part

if "$programs/tiles" --variant reuse >/dev/null 2>&1; then
	echo "failed: tiles has no variant reuse"
	failed=1
fi
exit "$failed"
