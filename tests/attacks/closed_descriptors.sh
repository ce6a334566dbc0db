#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs without some or all standard streams, and with few descriptors: the
# trace takes none of the three numbers, and is whole.
. "$(dirname "$0")/../e2e/lib.sh"

for closed in 0 1 2 "0 1" "1 2" "0 1 2"; do
	rm -f ./*.xspy
	(
		# shellcheck disable=SC3045 # dash has it
		ulimit -n 16
		for each in $closed; do
			eval "exec $each>&-"
		done
		LD_PRELOAD="$XS_PRELOAD" exec timeout -k 5 $hangs \
			"$XS_PROGRAMS/between"
	) 2>>err >>out || fail "closed $closed: exit code $?"
	read_trace
	expect "closed $closed: sets" "$(count '^set ')" 1
	expect "closed $closed: lost" "$(json lost)" 0
	expect "closed $closed: damage" "$(count '^# damaged')" 0
done
