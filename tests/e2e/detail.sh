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
for app in app app-static; do
	what="all of $app recorded"
	traced "$XS_APPS/$app" tiny 8000
	expect "$what: status" "$status" 0
	read_trace
	cp report.json whole.json
	expect "$what: counted" "$(json calls_counted)" 0

	what="light, $app"
	[ $app = app ] || {
		XS_SIM_CALL_NS=30000 \
			estimated "$what" 32002 "$XS_APPS/$app" tiny 8000
		continue
	}
	XFERSPY_MODE=light traced "$XS_APPS/$app" tiny 8000
	expect "$what: status" "$status" 0
	read_trace
	within "$what: records" "$(count '^(call|copycall|again) ')" 10000 20000
	within "$what: counted" "$(json calls_counted)" 12000 22000
	expect "$what: estimated" "$(json calls_estimated)" 0
	exact api_calls_seen
	exact h2d_bytes
	exact d2h_bytes
	within "$what: rounds" "$(json rounds)" 7900 8100
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
XFERSPY_MODE=light traced "$XS_EXAMPLES/launch_bench" launch,copy 300000
read_trace
within "$what: recorded" "$(count '^(call|copycall|again) ')" 10000 30000
expect "$what: windows" "$(count '^detail detail=1 ')" 1
expect "$what: kernels" "$(json kernels)" 301000
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
within "$what: size" "$(stat -c %s ./*.xspy)" 500000 2097152
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
XFERSPY_RANGE=signal traced "$XS_APPS/app" signalled 10
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
grep -q 'XFERSPY_RANGE' report.json || fail "$what: no note of it"

what="range by time"
XFERSPY_RANGE=0.3+0.4 traced timeout -s TERM 2 "$XS_APPS/app" endless 10
expect "$what: status" "$status" 124
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
expect "$what: states" "$states" 212
within "$what: delay in ms" "$delay" 290 600
within "$what: duration in ms" "$duration" 300 700
within "$what: operations" "$(json gpu_ops_seen)" 40 $((4 * 700))

what="not understood"
XFERSPY_RANGE=never XFERSPY_MAX_SIZE=1x traced "$XS_APPS/app" serial 10
expect "$what: status" "$status" 0
read_trace
expect "$what: kernels" "$(count '^kernel ')" 10
grep -q 'XFERSPY_RANGE=never is not known' report.json ||
	fail "$what: nothing said of the range"
grep -q 'XFERSPY_MAX_SIZE=1x is not a size' report.json ||
	fail "$what: nothing said of the size"
