#!/bin/sh
# SPDX-License-Identifier: MIT
# Memory runs out, as where nothing is overcommitted: the program ends with its
# own result, and each call is recorded, counted or lost.
. "$(dirname "$0")/../e2e/lib.sh"

for mode in trace light ${XS_LONG:+events calls}; do
	for what in "as 0" "as 8192" "data 0" "data 64"; do
		# shellcheck disable=SC2086 # two words
		XFERSPY_MODE=$mode traced "$XS_PROGRAMS/little_memory" $what
		[ "$status" != 77 ] || exit 77
		expect "$mode, $what: status" "$status" 5
		# else CUDA itself may lack some, with the library or without
		[ "$what" != "as 8192" ] ||
			expect "$mode, $what: output" "$(tail -1 out)" \
				"0 failed"
		read_trace
		expect "$mode, $what: recorded, counted or lost" \
			$(($(json api_calls_seen) + $(json lost_calls))) 20021
		expect "$mode, $what: damage" "$(count '^# damaged')" 0
		[ "$what $mode" != "as 0 trace" ] ||
			within "$what: lost" "$(json lost_calls)" 1 20000
	done
done

# A limit from the start: the program starts CUDA, or is told that it cannot. The
# loader may also end it, when a thread finds no room, and glibc, when it finds
# none for the library that ends a thread.
[ "${XS_LONG:-}" ] || exit 0
started=0
for mib in 12 16 20 24 28 32 36 40 48 64 128 512; do
	rm -f ./*.xspy
	status=0
	(
		# shellcheck disable=SC3045 # dash has it
		ulimit -v $((mib << 10))
		LD_PRELOAD=$XS_PRELOAD exec timeout -k 5 $hangs \
			"$XS_PROGRAMS/threads" 50 >out 2>err
	) || status=$?
	case $status in
	0)
		[ "$(traces)" = 0 ] || read_trace
		started=$((started + 1))
		[ "$mib" -lt 128 ] || expect "$mib MiB: output" "$(cat out)" 150
		;;
	# the program's own word for an error of CUDA, and the loader's
	2 | 127) ;;
	134)
		grep -q 'libgcc_s.so.1 must be installed' err ||
			fail "$mib MiB: aborted"
		;;
	*) fail "$mib MiB: exit code $status" ;;
	esac
done
within "runs with CUDA" $started 2 12
