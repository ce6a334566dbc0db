#!/bin/sh
# SPDX-License-Identifier: MIT
# Calls of the driver API have their call sites and ops, and are not recorded
# twice if the runtime made them.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI"

# A program that uses only the driver is reported like one that uses the
# runtime.
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

# The program waits for the range also if our thread is busy at first.
cat >late.c <<'EOF'
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void *(*collect)(void *);

static void *begin_late(void *data)
{
	usleep(600000);
	return collect(data);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*run)(void *), void *data)
{
	Dl_info info;

	if (dladdr((void *)run, &info) && strstr(info.dli_fname, "/libxferspy.")) {
		collect = run;
		run = begin_late;
	}
	return ((__typeof__(&pthread_create))dlsym(
	    RTLD_NEXT, "pthread_create"))(thread, attributes, run, data);
}
EOF
"$XS_CC" -D_GNU_SOURCE -shared -fPIC late.c -o late.so
XS_PRELOAD="$XS_PRELOAD $work/late.so" XFERSPY_RANGE=profiler \
	traced "$XS_APPS/driver" range 5
expect "late range: exit code" "$status" 0
read_trace
expect "late range: ops" "$(json gpu_ops_seen)" 15

traced "$XS_APPS/driver" others 1
expect "others: exit code" "$status" 0
read_trace
expect "others: ops with their calls" "$(json matched)" 7
expect "others: copies and sets" "$(count '^copycall ')" 6
expect "others: memory" "$(count '^memcall ')" 10
expect "others: waits" "$(count '^waitcall ')" 6

# Memory that is mapped in pieces is one, which kernels are given as a whole.
XFERSPY_DATAFLOW=all traced "$XS_APPS/driver" mapped 1
expect "mapped: exit code" "$status" 0
read_trace
expect "mapped: memory" "$(count '^memcall ')" 5
expect "mapped: known pointers" "$(count '^pointers .* known=1 count=1 ')" 3
"$XS_COMMAND" report --dataflow ./*.xspy >flow.txt
grep -q '6 ops, 0 of them of' flow.txt || fail "mapped: unknown memory"
grep -q 'may read or write 64 KiB' flow.txt || fail "mapped: not as a whole"

# Failed calls are marked.
traced "$XS_APPS/driver" errors 1
read_trace
expect "errors: failed copies" "$(count '^copycall .* error=1$')" 1

# Driver calls inside a call of the runtime, shared or static, are not recorded.
for app in app app-per-thread app-static; do
	traced "$XS_APPS/$app" serial 5
	read_trace
	expect "$app: launches" "$(count '^call ')" 5
	expect "$app: calls of the driver" "$(count '^string .*"cu[A-Z]')" 0
done

# For a program with a hidden runtime the driver callbacks are soon disabled; if
# it calls the driver itself later, these calls are recorded, too.
# On a busy machine they may still be enabled when it does.
for _ in 1 2 3 4 5; do
	XFERSPY_STACK=off traced "$XS_APPS/app-static" late-driver 1100
	expect "late: exit code" "$status" 0
	read_trace
	[ "$(count '^copycall ')" -gt 451 ] || break
done
grep -q 'began late to call' report.json || fail "late: not said"
expect "late: launches" "$(count '^call ')" 1100
expect "late: ops" "$(count '^(copy|kernel) ')" 1600
# one op in 16 is looked at, and four without a call tell it, after 49 copies;
# our thread, which looks 20 times a second, has the 0.8 s of 400 copies
within "late: copies with a call" "$(count '^copycall ')" 100 451

# Disabling callbacks during a call would leave its thread with one id for all
# its calls: slow calls, so that one is running.
for app in app app-static; do
	XS_SIM_CALL_NS=200000 traced "$XS_APPS/$app" late-driver 3000
	read_trace
	expect "$app: ids of launches" "$(grep '^call ' dump.txt |
		grep -o ' correlation=[0-9]*' | sort -u | wc -l)" 3000
done

# If the runtime is hooked, driver callbacks stay on. If it is linked
# statically, the first driver calls are missing, and the report states it.
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

# A program that links the driver's copies beside a static runtime may call them
# from the start.
traced "$XS_APPS/app-linked" late-driver 1100
read_trace
expect "app-linked: launches" "$(count '^call ')" 1100
expect "app-linked: ops with their calls" "$(json matched)" 1600
expect "app-linked: copies of the driver" "$(count '^copycall ')" 500
if grep -q 'began late to call' report.json; then
	fail "app-linked: nothing was missed"
fi

# A hidden runtime in such a process is seen, too, through its driver calls.
traced "$XS_APPS/app" library "$XS_APPS/plugin-static.so"
expect "library: exit code" "$status" 0
read_trace
expect "library: ops with their calls" "$(json matched)" 38
expect "library: copies" "$(count '^copycall ')" 26
expect "library: launches" "$(count '^call ')" 12
grep -q '^string .*"cuLaunchKernel"' dump.txt ||
	fail "library: launches not seen in the driver"
