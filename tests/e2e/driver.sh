#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls of the driver API: with their sites and joined to what the GPU did, and
# none twice where the runtime made them.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"

# A program of the driver alone is told as one of the runtime would be.
for app in driver driver-per-thread; do
	plain "$XS_APPS/$app" blocking 5
	cp out out.plain
	traced "$XS_APPS/$app" blocking 5
	expect "$app: exit code" "$status" 0
	cmp -s out out.plain || fail "$app: stdout differs"
	read_trace
	expect "$app: ops" "$(json gpu_ops_seen)" 15
	expect "$app: ops with their calls" "$(json matched)" 15
	expect "$app: copies asked for" "$(count '^copycall .* error=0')" 10
	expect "$app: bytes asked for" "$(sum '^copycall' bytes)" 655360
	expect "$app: launches" "$(count '^call ')" 5
	expect "$app: allocations and frees" "$(count '^memcall ')" 4
	expect "$app: rounds" "$(json rounds)" 5
	grep -q '"function": "blocking_round"' report.json ||
		fail "$app: no call site"
done
grep -q 'cuMemcpyHtoD_v2_ptds' dump.txt || fail "not the thread's own stream"
expect "the thread's own queue" "$(count '^queue .* queue_kind=2 ')" 1

traced "$XS_APPS/driver" async 5
read_trace
expect "async: ops with their calls" "$(json matched)" 15
expect "async: rounds" "$(json rounds)" 5
expect "async: synchronisations" "$(count '^waitcall .* event=0')" 7
within "async: in its own stream" "$(sum '^copycall' stream)" 1 1e30

XFERSPY_RANGE=profiler traced "$XS_APPS/driver" range 5
expect "range: exit code" "$status" 0
read_trace
expect "range: ops" "$(json gpu_ops_seen)" 15

traced "$XS_APPS/driver" others 1
expect "others: exit code" "$status" 0
read_trace
expect "others: ops with their calls" "$(json matched)" 7
expect "others: copies and sets" "$(count '^copycall ')" 6
expect "others: memory" "$(count '^memcall ')" 10
expect "others: waits" "$(count '^waitcall ')" 6

# What failed is marked.
traced "$XS_APPS/driver" errors 1
read_trace
expect "errors: failed copies" "$(count '^copycall .* error=1$')" 1

# Inside a call of the runtime, shared or static, the driver's is not another.
for app in app app-per-thread app-static; do
	traced "$XS_APPS/$app" serial 5
	read_trace
	expect "$app: launches" "$(count '^call ')" 5
	expect "$app: calls of the driver" "$(count '^string .*"cu[A-Z]')" 0
done

# A program of a hidden runtime is soon left alone; once it calls the driver
# itself, after that, these calls are recorded, too.
XFERSPY_STACK=off traced "$XS_APPS/app-static" late-driver 1100
expect "late: exit code" "$status" 0
read_trace
grep -q 'began late to call' report.json || fail "late: not said"
expect "late: launches" "$(count '^call ')" 1100
expect "late: ops" "$(count '^(copy|kernel) ')" 1600
within "late: copies with a call" "$(count '^copycall ')" 100 440

# Callbacks that go while a call runs would leave its thread with one id for all
# its calls: slow ones, so that one does run.
for app in app app-static; do
	XS_SIM_CALL_NS=200000 traced "$XS_APPS/$app" late-driver 3000
	read_trace
	expect "$app: ids of launches" "$(grep '^call ' dump.txt |
		grep -o ' correlation=[0-9]*' | sort -u | wc -l)" 3000
done

# Where the runtime's calls are hooked, the driver's are heard of all along; where
# it is linked statically, the first ones are missing, and the report says so.
traced "$XS_APPS/app" late-driver 1100
read_trace
expect "app: launches" "$(count '^call ')" 1100
expect "app: ops with their calls" "$(json matched)" 1600
expect "app: copies of the driver" "$(count '^copycall ')" 500
if grep -q 'began late to call' report.json; then
	fail "app: nothing was missed"
fi
traced "$XS_APPS/app-static" late-driver 1100
read_trace
expect "app-static: ops" "$(json gpu_ops_seen)" 1600
grep -q 'began late to call' report.json ||
	fail "app-static: no word about what was missed"

# A hidden runtime in such a process is heard of, too; of what it issues by what
# it asks the driver for.
traced "$XS_APPS/app" library "$XS_APPS/plugin-static.so"
expect "library: exit code" "$status" 0
read_trace
expect "library: ops with their calls" "$(json matched)" 38
expect "library: copies" "$(count '^copycall ')" 26
expect "library: launches" "$(count '^call ')" 12
grep -q '^string .*"cuLaunchKernel"' dump.txt ||
	fail "library: launches not seen in the driver"
