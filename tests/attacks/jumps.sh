#!/bin/sh
# SPDX-License-Identifier: MIT
# A handler that jumps out of the library's code leaves no lock held and does
# not end the recording: calls are recorded, or counted as lost.
. "$(dirname "$0")/../e2e/lib.sh"
runs=${XS_LONG:+100}

# check WHAT: recorded and lost calls against those that the program counted
check()
{
	expect "$1: status" "$status" 0
	read -r begun returned jumps <out
	within "$1: jumps" "$jumps" 1 1e9
	read_trace
	expect "$1: damage" "$(count '^# damaged')" 0
	recorded=$(json api_calls_seen)
	lost=$(json lost)
	within "$1: recorded, $lost lost of $begun in $jumps jumps" \
		"$recorded" "$((returned - jumps))" "$((begun + 10))"
	within "$1: recorded and lost of $begun in $jumps jumps" \
		"$((recorded + lost))" "$returned" "$((begun + jumps + 10))"
	within "$1: lost" "$lost" 0 "$jumps"
}

for i in $(seq "${runs:-1}"); do
	for mode in trace light events calls; do
		XFERSPY_MODE=$mode traced "$XS_PROGRAMS/jumps" ours 1
		check "$mode $i"
	done
	# a runtime whose functions only return: any code may be left
	export LD_LIBRARY_PATH="$XS_PROGRAMS/../preload/fake"
	XFERSPY_MODE=calls traced "$XS_PROGRAMS/jumps" any 0.2
	check "any $i"
	export LD_LIBRARY_PATH="$XS_SIM"
done
