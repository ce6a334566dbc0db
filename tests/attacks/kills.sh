#!/bin/sh
# SPDX-License-Identifier: MIT
# Killed at a random moment in each mode, also while CUDA starts: the trace, if
# there is one, can be read. What the trace of a killed program holds in the
# default mode: e2e_storm.
. "$(dirname "$0")/../e2e/lib.sh"
kills=${XS_LONG:+240}
kills=${kills:-12}

i=0
found=0
while [ $i -lt "$kills" ]; do
	for mode in light events calls counters; do
		[ $i -lt "$kills" ] || break
		i=$((i + 1))
		rm -f ./*.xspy
		LD_PRELOAD="$XS_PRELOAD" XFERSPY_MODE=$mode \
			"$XS_APPS/app" endless 20 >out 2>err &
		child=$!
		ms=$(awk -v seed=$i 'BEGIN { srand(seed); print int(400 * rand()) }')
		sleep "0.$(printf %03d "$ms")"
		# every other one not before its trace begins
		while [ $((i % 2)) = 1 ] &&
			[ -z "$(find . -name '*.xspy' -size +0)" ]; do
			kill -0 $child || fail "$mode $i: no trace"
			sleep 0.1
		done
		kill -9 $child 2>/dev/null || fail "$mode $i: it had ended"
		wait $child 2>/dev/null || :
		within "$mode $i: traces" "$(traces)" 0 1
		[ -n "$(find . -name '*.xspy' -size +0)" ] || continue
		read_trace
		expect "$mode $i, $ms ms: damage" "$(count '^# damaged')" 0
		expect "$mode $i: state" "$(count '^header .* state=0 ')" 1
		expect "$mode $i: lost" "$(json lost)" 0
		found=$((found + 1))
	done
done
within "traces of $kills" $found $((kills / 2)) "$kills"
