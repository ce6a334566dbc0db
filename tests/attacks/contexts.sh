#!/bin/sh
# SPDX-License-Identifier: MIT
# Threads that make and destroy contexts, with little address space.
. "$(dirname "$0")/../e2e/lib.sh"

# limited KIB: the program under the library, with that much address space
limited()
{
	rm -f ./*.xspy
	status=0
	(
		# shellcheck disable=SC3045 # dash has it
		ulimit -v "$1"
		LD_PRELOAD=$XS_PRELOAD exec timeout -k 5 $hangs \
			"$XS_PROGRAMS/contexts" >out 2>err
	) || status=$?
}

# malloc() in threads of the program reserves 64 MiB for each of them, at random.
export MALLOC_ARENA_MAX=1
plain "$XS_PROGRAMS/contexts"
expect "plain: status" "$status" 5
peak=$(tail -1 out)

# The library, with nine threads, and the thread of CUPTI.
room=$((48 << 10))
i=0
while [ $i -lt 4 ]; do
	limited $((peak + room))
	expect "48 MiB more: status" "$status" 5
	read_report
	expect "48 MiB more: lost" "$(json lost)" 0
	i=$((i + 1))
done

# Less, or malloc() takes some at random: calls may fail, but the program goes on
# and the trace says what it lacks.
for more in 8 16 24 32 arenas 100 150 200 300; do
	if [ $more = arenas ]; then
		unset MALLOC_ARENA_MAX
		continue
	fi
	limited $((peak + (more << 10)))
	case $status in
	4 | 5)
		read_trace
		expect "$more MiB more: damage" "$(count '^# damaged')" 0
		;;
	3) ;;
	*) fail "$more MiB more: exit code $status" ;;
	esac
done
