#!/bin/sh
# SPDX-License-Identifier: MIT
# The report states what is missing, and shows the rest.
. "$(dirname "$0")/lib.sh"

# Without CUPTI calls are timed with events (timing_source.sh).
plain "$XS_APPS/app" serial 3
cp out out.plain
export XFERSPY_CUPTI=/no/such/libcupti.so
traced "$XS_APPS/app" serial 3
expect "no CUPTI: exit code" "$status" 0
cmp -s out out.plain || fail "no CUPTI: stdout differs"
read_trace
expect "no CUPTI: calls of copies" "$(count '^copycall ')" 9
expect "no CUPTI: launches" "$(count '^call ')" 3
expect "no CUPTI: ops" "$(count '^(copy|kernel|set) ')" 12
expect "no CUPTI: rung" "$(json rung)" '"events"'
grep -q 'libcupti' report.json || fail "no CUPTI: the JSON report does not say so"
"$XS_COMMAND" report ./*.xspy >out || fail "no CUPTI: report: $?"
grep -q 'libcupti' out || fail "no CUPTI: the text report does not say so"
unset XFERSPY_CUPTI

# Another tool has the callbacks: ops are recorded, calls of a static runtime
# are not.
traced env XS_SIM_CUPTI_SUBSCRIBE_FAIL=1 "$XS_APPS/app" serial 3
expect "subscriber taken: exit code" "$status" 0
read_trace
expect "subscriber taken: calls of copies" "$(count '^copycall ')" 9
expect "subscriber taken: ops" "$(count '^(copy|kernel|set) ')" 12
grep -q 'another tool' report.json || fail "subscriber taken: not in the report"
grep -q 'cannot be joined' report.json || fail "subscriber taken: no reason"
expect "subscriber taken: rung" "$(json rung)" '"activity"'

# It has the activity records, too: calls are timed, and each op has its call.
traced env XS_SIM_CUPTI_SUBSCRIBE_FAIL=all "$XS_APPS/app" serial 3
expect "CUPTI taken: exit code" "$status" 0
read_trace
expect "CUPTI taken: rung" "$(json rung)" '"events"'
expect "CUPTI taken: ops with their calls" "$(json matched)" 12
grep -q 'another tool has CUPTI (' report.json ||
	fail "CUPTI taken: not in the report"
grep -q 'cannot be joined' report.json && fail "CUPTI taken: calls were joined"
"$XS_COMMAND" report ./*.xspy | grep -q '^  GPU times: events, ' ||
	fail "CUPTI taken: not under Coverage"

# Another profiler in the process disables the activity records: the report
# states from when on.
traced "$XS_APPS/app" profiler 3
expect "records off: exit code" "$status" 0
read_trace
expect "records off: ops" "$(count '^(copy|kernel|set) ')" 12
expect "records off: spans" "$(grep -c -E '"kind": "(copies|kernels)"' report.json)" 2
grep -q "kernels have no GPU record, between" report.json ||
	fail "records off: not in the report"

# Loaded by CUDA itself, with nothing preloaded and a static runtime.
rm -f ./*.xspy
plain env CUDA_INJECTION64_PATH="$XS_PRELOAD" \
	XFERSPY_CUPTI="$XS_CUPTI" "$XS_APPS/app-static" serial 3
expect "injected: exit code" "$status" 0
cmp -s out out.plain || fail "injected: stdout differs"
read_trace
expect "injected: ops" "$(count '^(copy|kernel|set) ')" 12

# Loaded by CUDA and by the loader at once: the same file, and copies of it; and
# two copies by the loader.
mkdir copy
cp "$XS_PRELOAD" copy/libxferspy.so
cp "$XS_PRELOAD" copy/renamed.so
ln -s renamed.so copy/link.so
twice() { # LIBRARIES INJECTED
	XS_PRELOAD=$1 CUDA_INJECTION64_PATH=$2 traced "$XS_APPS/app" serial 3
	expect "loaded twice: traces" "$(traces)" 1
	read_trace
	expect "loaded twice: calls of copies" "$(count '^copycall ')" 9
	expect "loaded twice: ops with their calls" "$(json matched)" 12
	expect "loaded twice: notes" "$(count 'note=')" 0
	expect "loaded twice: lines on stderr" "$(wc -l <err)" 1
}
twice "$XS_PRELOAD" "$XS_PRELOAD"
twice "$XS_PRELOAD" "$work/copy/libxferspy.so"
twice "$XS_PRELOAD" "$work/copy/renamed.so"
twice "$work/copy/renamed.so" "$XS_PRELOAD"
twice "$XS_PRELOAD:$work/copy/renamed.so" ""
twice "$work/copy/renamed.so:$XS_PRELOAD" ""
# Under another name; timeout, which starts the program, has it preloaded, too.
for name in renamed link; do
	XS_PRELOAD="$work/copy/$name.so" CUDA_INJECTION64_PATH="$work/copy/$name.so" \
		traced "$XS_APPS/app" serial 3
	read_trace
	expect "$name: rung" "$(json rung)" '"callbacks"'
	expect "$name: notes" "$(count 'note=')" 0
done
XS_PRELOAD="$work/copy/renamed.so" traced "$XS_APPS/app" serial 3
read_trace
expect "renamed, nothing injected: rung" "$(json rung)" '"callbacks"'

# Another tool's library is loaded: the library runs, states it, and leaves
# CUPTI to that tool unless configured otherwise. Without the hooks of a shared
# runtime it is not started.
export CUDA_INJECTION64_PATH="$XS_CUPTI"
traced "$XS_APPS/app" serial 3
read_trace
expect "another tool: ops with their calls" "$(json matched)" 12
expect "another tool: rung" "$(json rung)" '"events"'
grep -q "another tool's library .*${XS_CUPTI##*/}" report.json ||
	fail "another tool: not in the report"
grep -q 'CUPTI is left to the other tool' report.json ||
	fail "another tool: CUPTI is not said to be left to it"
traced env XFERSPY_CUPTI="$XS_CUPTI" "$XS_APPS/app" serial 3
read_trace
expect "CUPTI all the same: rung" "$(json rung)" '"callbacks"'
expect "CUPTI all the same: ops with their calls" "$(json matched)" 12
for none in none /no/such/library.so /etc/passwd /tmp; do
	traced env CUDA_INJECTION64_PATH="$none" "$XS_APPS/app" serial 3
	read_trace
	expect "tools kept out by $none: rung" "$(json rung)" '"callbacks"'
done
traced env CUDA_INJECTION64_PATH="${XS_CUPTI##*/}" "$XS_APPS/app" serial 3
read_trace
expect "another tool that the loader finds: rung" "$(json rung)" '"events"'
# and so nothing is counted
XFERSPY_MODE=counters traced "$XS_APPS/app" serial 3
read_trace
grep -q 'no kernel launch was counted' report.json ||
	fail "another tool, counters: not said that nothing was counted"
grep -q 'this run counted the first launches' report.json &&
	fail "another tool, counters: said to be counted"
traced "$XS_APPS/app-static" serial 3
expect "another tool, static: exit code" "$status" 0
cmp -s out out.plain || fail "another tool, static: stdout differs"
expect "another tool, static: traces" "$(traces)" 0
unset CUDA_INJECTION64_PATH

# A trace that is truncated in the middle, and an empty one.
traced "$XS_APPS/app" serial 3
for bytes in 4096 5000 8192; do
	head -c "$bytes" ./*.xspy >part
	status=0
	"$XS_COMMAND" report part >out 2>err || status=$?
	expect "cut at $bytes: exit code" "$status" 2
	grep -q '^Phases' out || fail "cut at $bytes: no report"
done
head -c 60 ./*.xspy >part
status=0
"$XS_COMMAND" report part >out 2>err || status=$?
expect "cut in the header" "$status" 2
