#!/bin/sh
# SPDX-License-Identifier: MIT
# The class of device determines what overlaps: four streams, each with copies
# in, a kernel and a copy out. A slow link makes copies last as long as kernels,
# whatever machine this runs on.
. "$(dirname "$0")/lib.sh"
export XS_SIM_H2D_GBS=0.1 XS_SIM_D2H_GBS=0.05 XS_SIM_BIDIR_GBS=0
export XS_SIM_GIPS=0.1

# trace ENGINES IMPLICIT ORDER
trace()
{
	traced env XS_SIM_COPY_ENGINES="$1" XS_SIM_IMPLICIT_SYNC="$2" \
		"$XS_APPS/app" "$3" 3
	expect "exit code" "$status" 0
	read_trace
	expect "copies in from pinned memory" \
		"$(count '^copy .*direction=1 src_memory=2 .* flags=1')" 24
	expect "ops with their calls" "$(json matched)" 48
}

trace 2 0 depth
within "two engines: copies in with copies out" "$(overlap in out)" 100000 1e9
within "two engines: copies in with kernels" "$(overlap in kernel)" 100000 1e9
within "two engines: kernels with copies out" "$(overlap kernel out)" 100000 1e9
within "overlap in the report" "$(json overlap_ns)" 100000 1e9

trace 1 0 breadth
expect "one engine: copies in with copies out" "$(overlap in out)" 0
within "one engine: copies in with kernels" "$(overlap in kernel)" 100000 1e9
within "one engine: kernels with copies out" "$(overlap kernel out)" 100000 1e9

trace 1 1 breadth
expect "implicit: copies in with copies out" "$(overlap in out)" 0
within "implicit: copies in with kernels" "$(overlap in kernel)" 100000 1e9
expect "implicit: kernels with copies out" "$(overlap kernel out)" 0

# One after the other, nothing overlaps.
traced "$XS_APPS/app" serial 3
read_trace
expect "serial: all of it" \
	"$(($(overlap in out) + $(overlap in kernel) + $(overlap kernel out)))" 0
