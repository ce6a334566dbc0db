#!/bin/sh
# SPDX-License-Identifier: MIT
# A second client of CUPTI, such as PyTorch's profiler, gets the same results as
# without xferspy; and the trace is complete, including the client's
# measurements.
. "$(dirname "$0")/lib.sh"

# same MODE [CLOCK]: output and exit code equal those without the library.
same()
{
	plain "$XS_APPS/second_client" "$@"
	expect "$*: exit code without" "$status" 0
	cp out out.plain
	traced "$XS_APPS/second_client" "$@"
	expect "$*: exit code" "$status" 0
	diff out.plain out >&2 || fail "$*: its output differs"
}

# timed WHAT: copies lie inside their calls, and take as long during the
# client's measurements (the second and the fourth 20 copies) as outside;
# CUPTI's clock equals ours.
timed()
{
	records times dump.txt >times.txt || fail "$1: times"
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

# A slow link, so that copy times do not depend on this machine's load.
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

# The client's first records arrive in a buffer that CUPTI got from us before:
# it gets a copy. Our first records arrive in a buffer from the client: it gets
# that buffer with more records in it.
plain "$XS_APPS/second_client" twice
head -6 out >out.plain
XS_SIM_CUPTI_SPARE=1 traced "$XS_APPS/second_client" twice
expect "spare: exit code" "$status" 0
head -6 out | diff out.plain - >&2 || fail "spare: its output differs"
expect "spare: strange" "$(grep -c ' 0 strange' out)" 2
read_trace
expect "spare: ops with their calls" "$(json matched)" 150
timed spare

# The client restarts while the device is busy.
XS_SIM_MEM_GBS=0.003 traced "$XS_APPS/second_client" busy
expect "busy: exit code" "$status" 0
read_trace
expect "busy: ops" "$(json gpu_ops_seen)" 151
expect "busy: lost" "$(json lost)" 0

# It subscribes before CUDA starts: records are shared all the same.
same first
read_trace
expect "first: rung" "$(json rung)" '"activity"'
expect "first: ops" "$(json gpu_ops_seen)" 180
expect "first: lost" "$(json lost)" 0

# It uses CUPTI and never CUDA.
same nothing
expect "nothing: traces" "$(traces)" 0

# If we do not use CUPTI, it has CUPTI for itself.
for mode in off calls events; do
	export XFERSPY_MODE="$mode"
	same twice
	same first
	same finalize
done
export XFERSPY_MODE=light
same twice
unset XFERSPY_MODE

# Our own capture mode does not change what the client receives.
export XFERSPY_RANGE=600
same twice
read_trace
expect "out of the range: ops" "$(json gpu_ops_seen)" 0
