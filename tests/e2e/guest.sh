#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that profiles itself with CUPTI, as PyTorch does, sees with us what
# it sees without; and our trace has all, also what came meanwhile.
. "$(dirname "$0")/lib.sh"

# same MODE [CLOCK]: output and exit code are those without the library.
same()
{
	plain "$XS_APPS/guest" "$@"
	expect "$*: exit code without" "$status" 0
	cp out out.plain
	traced "$XS_APPS/guest" "$@"
	expect "$*: exit code" "$status" 0
	diff out.plain out >&2 || fail "$*: its output differs"
}

# timed WHAT: copies are in their calls, and last as long in its measurements
# (the second and the fourth 20 of them) as out of them; CUPTI's clock is ours.
timed()
{
	awk -f "$here/times.awk" dump.txt >times.txt || fail "$1: times"
	expect "$1: copies out of their calls" \
		"$(sed -n 's/^outside //p' times.txt)" 0
	within "$1: CUPTI's clock, ns off" \
		"$(sed -n 's/^clock //p' times.txt)" 0 1e6
	usual=$(sed -n 's/^median 0 //p' times.txt)
	for measured in $(sed -n 's/^median [13] //p' times.txt); do
		within "$1: ns of a copy" "$measured" \
			"$((usual * 2 / 3))" "$((usual * 3 / 2))"
	done
}

# A link slow enough that copies last the same, whatever the machine is at.
export XS_SIM_PAGEABLE_GBS=0.2
for mode in twice "twice tai" "twice none" finalize open; do
	# shellcheck disable=SC2086 # the mode and the clock
	same $mode
	read_trace
	timed "$mode"
	ops=150
	[ "$mode" = open ] && ops=120
	expect "$mode: rung" "$(json rung)" '"callbacks"'
	expect "$mode: ops" "$(json gpu_ops_seen)" "$ops"
	expect "$mode: ops with their calls" "$(json matched)" "$ops"
	expect "$mode: lost" "$(json lost)" 0
	expect "$mode: said once" "$(count 'another profiler')" 1
	expect "$mode: gaps" "$(grep -c 'records of .* are missing' report.json)" 0
done

# Its first records come into a buffer that CUPTI had of us before: it gets a
# copy. And ours into one that CUPTI had of it: it gets that with more in it.
plain "$XS_APPS/guest" twice
head -6 out >out.plain
XS_SIM_CUPTI_SPARE=1 traced "$XS_APPS/guest" twice
expect "spare: exit code" "$status" 0
head -6 out | diff out.plain - >&2 || fail "spare: its output differs"
expect "spare: strange" "$(grep -c ' 0 strange' out)" 2
read_trace
expect "spare: ops with their calls" "$(json matched)" 150
timed spare

# It begins anew while the device is at work.
XS_SIM_MEM_GBS=0.003 traced "$XS_APPS/guest" busy
expect "busy: exit code" "$status" 0
read_trace
expect "busy: ops" "$(json gpu_ops_seen)" 151
expect "busy: lost" "$(json lost)" 0

# It has the callbacks before CUDA starts: records are shared all the same.
same first
read_trace
expect "first: rung" "$(json rung)" '"activity"'
expect "first: ops" "$(json gpu_ops_seen)" 180
expect "first: lost" "$(json lost)" 0

# It uses CUPTI and never CUDA.
same nothing
expect "nothing: traces" "$(traces)" 0

# Where we do not use CUPTI, it has all of it.
for mode in off calls events; do
	export XFERSPY_MODE="$mode"
	same twice
	same first
	same finalize
done
export XFERSPY_MODE=light
same twice
unset XFERSPY_MODE

# What we record by our own switches is not what the guest does.
export XFERSPY_RANGE=600
same twice
read_trace
expect "out of the range: ops" "$(json gpu_ops_seen)" 0
