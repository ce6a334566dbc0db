#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs that are recorded in part: light mode, a limit on the trace, a range.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"

# exact KEY: the number equals that of the whole run.
exact()
{
	whole=$(sed -n "s/^ *\"$1\": *\([0-9]*\),\{0,1\}\$/\1/p" whole.json |
		head -1)
	expect "$what: $1" "$(json "$1")" "$whole"
}

# Hooked calls are counted to the end, others are estimated.
rounds=16000
for app in app app-static; do
	what="all of $app recorded"
	traced "$XS_APPS/$app" tiny $rounds
	expect "$what: status" "$status" 0
	read_trace
	cp report.json whole.json
	expect "$what: counted" "$(json calls_counted)" 0

	what="light, $app"
	[ $app = app ] || {
		XS_SIM_CALL_NS=30000 \
			estimated "$what" $((4 * rounds + 2)) \
			"$XS_APPS/$app" tiny $rounds
		continue
	}
	# At least 10000 calls are recorded, of which a few are not of these
	# kinds. 30 us a call: the 30000 more that are allowed are 90 intervals
	# in which our thread looks.
	XS_SIM_CALL_NS=30000 XFERSPY_MODE=light \
		traced "$XS_APPS/$app" tiny $rounds
	expect "$what: status" "$status" 0
	read_trace
	within "$what: records" "$(count '^(call|copycall|again) ')" 9900 40000
	within "$what: counted" "$(json calls_counted)" 24000 54100
	expect "$what: estimated" "$(json calls_estimated)" 0
	exact api_calls_seen
	exact h2d_bytes
	exact d2h_bytes
	within "$what: rounds" "$(json rounds)" \
		$((rounds * 79 / 80)) $((rounds * 81 / 80))
done

# A single enabled callback makes each launch slower.
what="callbacks in light mode"
export XS_SIM_CUPTI_LEFT=1
traced "$XS_APPS/app" tiny 8000
grep -q '^callbacks left: [1-9]' err || fail "$what: none at all"
XFERSPY_MODE=light traced "$XS_EXAMPLES/launch_bench" launch 600000
grep -q '^callbacks left: 0' err || fail "$what: $(grep callbacks err)"
# nor are records requested again and again when there are none
call_ns=$(sed -n 's/.*"done_ns": \([0-9]*\).*/\1/p' out)
within "$what: flushes" "$(sed -n 's/^flushes: //p' err)" 1 \
	$((9 + 2 * call_ns * 600000 / 1000000000))
unset XS_SIM_CUPTI_LEFT

# Launches, and after CUPTI was detached copies: these are counted.
what="light, launches and then copies"
XS_SIM_CALL_NS=20000 XFERSPY_MODE=light \
	traced "$XS_EXAMPLES/launch_bench" launch,copy 100000
read_trace
within "$what: recorded" "$(count '^(call|copycall|again) ')" 9900 30000
expect "$what: windows" "$(count '^detail detail=1 ')" 1
expect "$what: kernels" "$(json kernels)" 101000
grep -q 'only counted, never recorded' report.json || fail "$what: nothing of what is new"

# CUPTI is disabled while no thread is inside CUDA.
what="64 threads"
traced "$XS_EXAMPLES/launch_bench" threads 100000
read_trace
cp report.json whole.json
what="light, 64 threads"
XFERSPY_MODE=light traced "$XS_EXAMPLES/launch_bench" threads 100000
expect "$what: status" "$status" 0
read_trace
exact api_calls_seen
within "$what: counted" "$(json calls_counted)" 10000 90000
exact kernels

# The delay of a thread that was descheduled.
what="light, a call that begins when the window is over"
XS_SIM_HOLD=8000 XFERSPY_MODE=light \
	traced "$XS_EXAMPLES/launch_bench" threads 100000
expect "$what: status" "$status" 0
read_trace
exact kernels

what="bounded"
XFERSPY_MAX_SIZE=2M traced "$XS_EXAMPLES/launch_bench" launch 100000
expect "$what: status" "$status" 0
read_trace
within "$what: size" "$(stat -c %s ./*.xspy)" 1 2097152
# half of the limit is for the first window, in which hooks stop recording where
# 80 bytes a call would fill it; our thread then lets them go on
within "$what: recorded" "$(count '^(call|copycall|again) ')" 12000 100000
within "$what: counted" "$(json calls_counted)" 10000 100000
expect "$what: lost" "$(json lost)" 0
within "$what: launches" "$(json kernels)" 99000 102000

for app in app app-static; do
	what="range by the program, $app"
	XFERSPY_RANGE=profiler traced "$XS_APPS/$app" range 10
	expect "$what: status" "$status" 0
	read_trace
	expect "$what: bytes in" "$(json h2d_bytes)" $((2 * 20 * 65536))
	expect "$what: operations" "$(json gpu_ops_seen)" 80
	within "$what: rounds" "$(json rounds)" 18 20
done

what="range by a signal"
XFERSPY_RANGE=signal traced_until '^detail detail=1 ' \
	"$XS_APPS/app" signalled 10
expect "$what: status" "$status" 0
read_trace
expect "$what: operations" "$(json gpu_ops_seen)" 40

what="range by a signal before CUDA"
XFERSPY_RANGE=signal traced "$XS_APPS/app" early-signal 10
expect "$what: status" "$status" 0
read_trace
expect "$what: operations" "$(json gpu_ops_seen)" 40

what="range by time, all of it later"
XFERSPY_RANGE=100 traced "$XS_APPS/app" serial 10
expect "$what: status" "$status" 0
read_trace
expect "$what: operations" "$(json gpu_ops_seen)" 0
grep -q 'never began: XFERSPY_RANGE=100, and the run ended' report.json ||
	fail "$what: no note of it"

# The program is killed when the trace states that the range is over. Our thread
# switches later than asked for, by up to 0.3 s: if the machine delays it for
# longer, the program runs again.
what="range by time"
# ranged: sets the modes in their order, and the ms between them
ranged()
{
	rm -f ./*.xspy
	XFERSPY_RANGE=0.3+0.4 LD_PRELOAD="$XS_PRELOAD" \
		"$XS_APPS/app" endless 10 >out 2>err &
	program=$!
	for _ in $(seq 100); do
		sleep 0.1
		"$XS_COMMAND" dump ./*.xspy >dump.txt 2>now.err || continue
		[ "$(count '^detail ')" -lt 3 ] || break
	done
	kill $program
	wait $program || status=$?
	read_trace
	awk '
		/^detail / {
			sub(".*detail=", "")
			split($0, part, " time_ns=")
			states = states part[1]
			# doubles of awk have 53 bits: seconds and fractions only
			at[++n] = substr(part[2], 6) / 1e9
		}
		END {
			print states, int(1000 * (at[2] - at[1])),
				int(1000 * (at[3] - at[2]))
		}' dump.txt >windows
	read -r states delay duration <windows
}
for _ in 1 2 3 4 5; do
	ranged
	[ "$delay" -gt 600 ] || [ "$duration" -lt 300 ] ||
		[ "$duration" -gt 700 ] || break
done
expect "$what: status" "$status" 143
expect "$what: states" "$states" 212
within "$what: delay in ms" "$delay" 290 600
within "$what: duration in ms" "$duration" 300 700
within "$what: operations" "$(json gpu_ops_seen)" 4 $((4 * 700))

what="not understood"
XFERSPY_RANGE=never XFERSPY_MAX_SIZE=1x traced "$XS_APPS/app" serial 10
expect "$what: status" "$status" 0
read_trace
expect "$what: kernels" "$(count '^kernel ')" 10
grep -q 'XFERSPY_RANGE=never is not valid' report.json ||
	fail "$what: nothing said of the range"
grep -q 'XFERSPY_MAX_SIZE=1x is not valid' report.json ||
	fail "$what: nothing said of the size"
