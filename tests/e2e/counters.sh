#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts what kernels read, write and execute; the program behaves as without,
# and the trace states what could not be counted. app's kernel adds two arrays
# of 16384 ints: 2 x 2048 sectors of 32 bytes in, 2048 out, one request per
# warp.
. "$(dirname "$0")/lib.sh"
all='sectors_read=4096 sectors_written=2048 requests_read=1024 requests_written=512'

if [ -z "$XS_RANGE_PROFILER" ]; then
	plain "$XS_APPS/app" serial 5
	cp out out.plain
	XFERSPY_MODE=counters traced "$XS_APPS/app" serial 5
	unharmed "older toolkit"
	read_trace
	expect "older toolkit: ops with their calls" "$(json matched)" 20
	grep -q 'not counted: .* a CUDA toolkit older than 12.6.2' report.json ||
		fail "older toolkit: not in the report"
	echo "skipped: this toolkit has no range profiler"
	exit 77
fi

# The first three launches, with a shared and with a static runtime.
plain "$XS_APPS/app" serial 5
cp out out.plain
for app in app app-per-thread app-static; do
	XFERSPY_MODE=counters XFERSPY_CUPTI="$XS_CUPTI" \
		traced "$XS_APPS/$app" serial 5
	expect "$app: exit code" "$status" 0
	cmp -s out out.plain || fail "$app: stdout differs"
	expect "$app: next" "$(grep -c 'report ANOTHER_TRACE --counters /' err)" 1
	read_trace
	expect "$app: counted launches" "$(count '^counters .*launch=[123] ')" 3
	expect "$app: all launches" "$(count '^counters ')" 3
	expect "$app: sectors and requests" "$(count "^counters .* $all ")" 3
	expect "$app: brought into the L1" "$(count '^fills .*sectors=4096$')" 3
	expect "$app: waits and stores of each warp" "$(count \
		'^accesses .*waiting_cycles=1024 warp_cycles=1536 stores=512 store_sectors=2048$')" 3
	expect "$app: of the host" \
		"$(count 'host_sectors_read=0 host_sectors_written=0')" 3
	# CUPTI gives no times for a launch that it counts.
	expect "$app: kernels" "$(count '^kernel ')" 2
	expect "$app: ops with their calls" "$(json matched)" 17
	expect "$app: lost" "$(json lost)" 0
	expect "$app: sectors in the report" "$(json sectors_read)" 4096
	grep -q '"mode": "counters"' report.json || fail "$app: mode"
	grep -q 'add this one to its report' report.json ||
		fail "$app: nothing says what the trace is for"
done

# Threads that launch at once: each count is of one kernel.
XFERSPY_MODE=counters traced "$XS_APPS/app" threads 5
expect "threads: exit code" "$status" 0
read_trace
expect "threads: kernels" "$(count '^kernel ')" 17
expect "threads: counted" "$(count '^counters ')" 3
expect "threads: of one kernel each" "$(count "^counters .* $all ")" \
	"$(count '^counters ')"
expect "threads: lost" "$(json lost)" 0

# Each of two devices has its own counters.
XFERSPY_MODE=counters traced env XS_SIM_DEVICES=2 "$XS_APPS/app" devices 5
expect "devices: exit code" "$status" 0
read_trace
expect "devices: counted" "$(count '^counters ')" 3
expect "devices: of one kernel each" "$(count "^counters .* $all ")" \
	"$(count '^counters ')"

# A report of a plain run uses the counters of a counted run.
rm -f ./*.xspy
"$XS_COMMAND" run -o plain.xspy "$XS_APPS/app" serial 5 >out 2>err
"$XS_COMMAND" run --counters -o counted.xspy "$XS_APPS/app" serial 5 >out 2>err
"$XS_COMMAND" report --format json plain.xspy >report.json
grep -q '"counters": null' report.json || fail "counts from nowhere"
"$XS_COMMAND" report --format json plain.xspy --counters counted.xspy \
	>report.json
expect "joined: read" "$(json sectors_read)" 4096
expect "joined: written" "$(json sectors_written)" 2048
expect "joined: requests" "$(json requests_read)" 1024
expect "joined: L1 fills" "$(json l1_fills)" 4096
grep -q "\"bytes\": $((6144 * 32))," report.json || fail "joined: bytes"
expect "joined: mode" "$(json mode)" '"trace"'
status=0
"$XS_COMMAND" report plain.xspy --counters plain.xspy >out 2>err || status=$?
expect "nothing counted: exit code" "$status" 2
grep -q 'no kernel was counted' err || fail "nothing counted: not said"
# Counters of another program do not match.
"$XS_COMMAND" run --counters -o other.xspy "$XS_APPS/arithmetic" >out 2>err
"$XS_COMMAND" report --format json plain.xspy --counters other.xspy >report.json
grep -q '1 of 1 kernels are missing from the counted run' report.json ||
	fail "another program: not said"
grep -q '"counters": null' report.json || fail "another program: counts"

# Mapped memory is host memory.
if [ -x "$XS_EXAMPLES/vecadd" ]; then
	XFERSPY_MODE=counters traced "$XS_EXAMPLES/vecadd" --n 8192 --rounds 2 \
		--variant mapped
	expect "mapped: exit code" "$status" 0
	read_trace
	expect "mapped: of the host" "$(count \
		'host_sectors_read=2048 host_sectors_written=1024')" 3
fi

# Without permission: a plain trace that states what to do.
XFERSPY_MODE=counters traced env XS_SIM_CUPTI_COUNTERS_FAIL=1 \
	"$XS_APPS/app" serial 5
expect "refused: exit code" "$status" 0
cmp -s out out.plain || fail "refused: stdout differs"
read_trace
expect "refused: counted" "$(count '^counters ')" 0
expect "refused: ops" "$(count '^(copy|kernel) ')" 20
expect "refused: ops with their calls" "$(json matched)" 20
expect "refused: notes" "$(count 'note=.*NVreg_RestrictProfilingToAdmin')" 1
grep -q 'NVreg_RestrictProfilingToAdminUsers=0' report.json ||
	fail "refused: not in the report"

# A GPU that counts two metrics at once, and one that lacks these metrics.
XFERSPY_MODE=counters traced env XS_SIM_CUPTI_COUNTERS=2 "$XS_APPS/app" serial 5
read_trace
expect "two at once" "$(count \
	"^counters .* ${all%% req*} requests_read=18446744073709551615")" 3
grep -q '"requests_read": null' report.json || fail "two at once: a request"
XFERSPY_MODE=counters traced env XS_SIM_CUPTI_COUNTERS=1 "$XS_APPS/app" serial 5
expect "none at once: exit code" "$status" 0
read_trace
expect "none at once: counted" "$(count '^counters ')" 0
expect "none at once: notes" "$(count 'note=kernels are not counted')" 1
