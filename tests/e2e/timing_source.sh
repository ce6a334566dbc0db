#!/bin/sh
# SPDX-License-Identifier: MIT
# Timing sources: without CUPTI, hooked calls are timed with events. The ops
# equal CUPTI's, their times nearly, and the program notices nothing. Copies and
# kernels are slow here, so that the cost of the events does not matter.
. "$(dirname "$0")/lib.sh"
export XS_SIM_PAGEABLE_GBS=0.05 XS_SIM_H2D_GBS=0.05 XS_SIM_D2H_GBS=0.05
export XS_SIM_GIPS=0.1

# third FILE PATTERN: the third shortest of the durations. An event is recorded
# when the host gets to it: a host that is delayed makes times longer, and one or
# two shorter.
third()
{
	grep -E -- "$2" "$1" | sed 's/.* duration=\([0-9]*\) .*/\1/' | sort -n |
		sed -n 3p
}

# like WHAT PATTERN: the times of such ops equal CUPTI's within a third
like()
{
	wanted=$(third dump.cupti "$2")
	within "$1" "$(third dump.txt "$2")" $((wanted * 2 / 3)) \
		$((wanted * 4 / 3))
}

# ops: the ops without their times, and how they depend on each other
ops()
{
	grep -E '^(copy|kernel|set) ' "$1" | sed 's/correlation=[0-9]* //
		s/start=[0-9]* duration=[0-9]* //; s/..._memory=[0-9] //g; s/ again=.*//' | sort
}

# many, so that the host is delayed in some, and not in all
rounds=40
for app in app app-per-thread; do
	XFERSPY_MODE=trace traced "$XS_APPS/$app" serial $rounds
	read_trace
	grep -q '"rung": "callbacks"' report.json || fail "$app: CUPTI's rung"
	mv dump.txt dump.cupti
	cp out out.plain

	XFERSPY_MODE=events traced "$XS_APPS/$app" serial $rounds
	expect "$app: exit code" "$status" 0
	cmp -s out out.plain || fail "$app: stdout differs"
	read_trace
	expect "$app: rung" "$(json rung)" '"events"'
	ops dump.cupti >ops.cupti
	ops dump.txt >ops.events
	diff ops.cupti ops.events >&2 || fail "$app: not the ops of CUPTI"
	expect "$app: ops with their calls" "$(json matched)" $((4 * rounds))
	expect "$app: calls not timed" "$(json untimed)" 0
	like "$app: copies in" '^copy .*direction=1'
	like "$app: copies out" '^copy .*direction=2'
	like "$app: kernels" '^kernel'
	expect "$app: rounds of the phase" "$(json rounds)" $rounds
	expect "$app: from" "$(json src_memory)" '"pageable"'
	expect "$app: to" "$(json dst_memory)" '"pageable"'
	grep -q 'text="_Z3addPKiS0_Pii"' dump.txt || fail "$app: kernel's name"
	grep -q '^shape .*grid_x=64 .*block_x=256' dump.txt ||
		fail "$app: grid and block"
done
grep -q 'no CUPTI: only calls' report.json || fail "nothing says what this rung means"

# Pinned memory, streams, threads and devices.
XFERSPY_MODE=events traced "$XS_APPS/app" depth 5
read_trace
expect "streams: ops with their calls" "$(json matched)" 80
expect "streams: from" "$(json src_memory)" '"pinned"'
expect "streams: queues" "$(count '^queue .*queue_kind=0')" 4
within "streams: copies in with copies out" "$(overlap in out)" 100000 1e9
XFERSPY_MODE=events traced "$XS_APPS/app" threads 5
read_trace
expect "threads: ops with their calls" "$(json matched)" 80
XFERSPY_MODE=events traced env XS_SIM_DEVICES=2 "$XS_APPS/app" devices 5
read_trace
expect "devices: ops with their calls" "$(json matched)" 40
expect "devices: queues" "$(count '^queue .*device=[01] .*queue_kind=0')" 2
expect "devices: of the second" "$(count '^queue .*device=1 .*queue_kind=0')" 1

# A launch that is only counted makes no driver call. Timed calls exchange the
# thread's capture mode before and after, and so does a wait. Calls take 10 us:
# the 30000 after light mode's recording are 30 intervals in which the collector
# looks.
XS_SIM_EXCHANGES=1 XS_SIM_CALL_NS=10000 XFERSPY_MODE=light XFERSPY_CUPTI=none \
	traced "$XS_EXAMPLES/launch_bench" launch 100000
read_trace
expect "light without CUPTI: rung" "$(json rung)" '"events"'
expect "light without CUPTI: kernels" "$(json kernels)" 101000
recorded=$(count '^(call|copycall|again) ')
within "light without CUPTI: recorded" "$recorded" 9900 40000
within "light without CUPTI: capture modes put aside and back" \
	"$(sed -n 's/^capture modes exchanged: //p' err)" \
	$((2 * recorded)) $((4 * recorded + 2000))

# More pending calls than events, without a synchronisation.
# At 0.1 s a copy, few of the 5000 end in time, however slow the host is.
XFERSPY_MODE=events traced env XS_SIM_COPY_NS=100000000 "$XS_APPS/app" flood 5000
expect "flood: exit code" "$status" 0
read_trace
expect "flood: calls" "$(count '^copycall ')" 5000
expect "flood: not timed" \
	"$(($(json untimed) + $(count '^copy ')))" 5000
within "flood: not timed" "$(json untimed)" 4000 5000
grep -q 'calls was not timed' report.json || fail "flood: nothing says so"

# All ways in which a process ends, fails or forks.
for mode in errors destructor exit _exit fork-before fork-after; do
	plain "$XS_APPS/app" "$mode" 3
	plain_status=$status
	cp out out.plain
	XFERSPY_MODE=events traced "$XS_APPS/app" "$mode" 3
	expect "$mode: exit code" "$status" "$plain_status"
	diff out out.plain >&2 || fail "$mode: stdout differs"
done
expect "fork: traces" "$(traces)" 1
read_trace
expect "fork: copies in" "$(count '^copy .*direction=1')" 6

# Captures are not disturbed by timed calls elsewhere; graphs are not timed.
for mode in graph forked-graph capture-beside event-polls stream-polls batch \
	host-function; do
	[ "$mode" != batch ] || has_batches || continue
	plain "$XS_APPS/ways" "$mode" 10
	expect "$mode: exit code without" "$status" 0
	cp out out.plain
	XFERSPY_MODE=events traced "$XS_APPS/ways" "$mode" 10
	expect "$mode: exit code" "$status" 0
	cmp -s out out.plain || fail "$mode: stdout differs"
	read_trace
	case $mode in
	graph | forked-graph) want=0 missed=10 ;;
	capture-beside) want=120 missed=1 ;;
	batch) want=10 missed=0 ;; # kernels: batches are unknown here
	*) want=30 missed=0 ;;
	esac
	expect "$mode: ops with their calls" "$(json matched)" "$want"
	expect "$mode: calls not timed" "$(json untimed)" "$missed"
done

# Calls without times are available on request.
XFERSPY_MODE=calls traced "$XS_APPS/app" serial 5
read_trace
expect "calls: rung" "$(json rung)" '"calls"'
"$XS_COMMAND" report ./*.xspy | grep -q '^  GPU times: calls (none)' ||
	fail "calls: not under Coverage"
expect "calls: calls of copies" "$(count '^copycall ')" 15
expect "calls: ops" "$(count '^(copy|kernel|set) ')" 0
