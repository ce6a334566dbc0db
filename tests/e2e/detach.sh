#!/bin/sh
# SPDX-License-Identifier: MIT
# Light mode detaches CUPTI once, when no new kinds of calls come, and goes on
# counting; it does not detach if that would harm the program or another tool.
. "$(dirname "$0")/lib.sh"
export XFERSPY_CUPTI="$XS_CUPTI" XFERSPY_MODE=light XS_SIM_CUPTI_LEFT=1
export XS_SIM_LAUNCH_NS=500 XS_SIM_LATENCY_NS=500 XS_SIM_CALL_NS=300
export XS_SIM_CUPTI_STRICT=1

# rush MODE THREADS MS: the program behaves as without the library, all its
# calls were seen, and each op has its call.
rush()
{
	what="$*"
	traced "$XS_APPS/rush" "$@"
	expect "$what: status" "$status" 0
	expect "$what: wrong" "$(said wrong)" 0
	read_trace
	expect "$what: lost" "$(json lost)" 0
	expect "$what: matched" "$(json matched)" "$(json gpu_ops_seen)"
	expect "$what: ops of other calls" "$(records ops_of_others dump.txt)" 0
	calls=$(($(said calls) + 1 + 3 * $2))
	case $1 in
	*g*) # their creation, for each 50 replays, is extra: up to ten calls
		within "$what: calls" "$(json api_calls_seen)" $calls \
			$((calls + 10 * ($(said replays) / 50 + $2))) ;;
	*q*) # consecutive polls are one record
		expect "$what: calls" "$(json api_calls_seen)" $((calls - \
			$(sum '^pollcall ' polls) + $(count '^pollcall '))) ;;
	*) expect "$what: calls" "$(json api_calls_seen)" $calls ;;
	esac
}

# said WHAT: a number that the program printed
said()
{
	sed -n "s/^$1: //p" out
}

# left_ms: when CUPTI was detached, in ms after the start of tracing
left_ms()
{
	awk '
		/^detail / {
			sub(".*detail=", "")
			split($0, part, " time_ns=")
			# doubles of awk have 53 bits: seconds and fractions only
			at = substr(part[2], 6) / 1e6
			if (!n++)
				begun = at
			if (part[1] == 3)
				left = at - begun
		}
		END { print left ? int(left) : 1000000 }' dump.txt
}

# detached THIRD MODE THREADS MS: the rush, in which CUPTI is detached before
# this third of it ends. That takes a number of calls, and a moment in which no
# thread is inside one: on a slow or busy machine the rush lasts longer.
detached()
{
	third=$1 ms=$4
	for _ in 1 2 3 4 5; do
		rush "$2" "$3" "$ms"
		[ "$(left_ms)" -gt $((third * ms / 3)) ] || break
		ms=$((2 * ms))
	done
	finalized 1 1
}

if [ "$XS_CUDA_VERSION" -lt 12060 ]; then
	rush pcc 1 1500
	finalized 0 0
	exit 0
fi

# Once, with any number of threads; later kinds of calls are not recorded.
for threads in 1 8; do
	detached 1 pcc $threads 600
	hooks_alone 1
	expect "$what: windows" "$(count '^detail detail=1 ')" 1
	expect "$what: estimated" "$(json calls_estimated)" 0
	within "$what: counted" "$(json calls_counted)" 10000 1e9
	grep -q 'only counted, never recorded' report.json || fail "$what: nothing of what is new"
done

# CUPTI stays until all ops of the recorded calls have arrived: here 0.5 s late.
XS_SIM_H2D_GBS=2 detached 3 qpp 1 1500
issued=$(count '^copycall .* bytes=1048576 ')
within "copies of 1 MiB" "$issued" 1000 1000
within "their ops" "$(count '^copy .* bytes=1048576 ')" "$issued" "$issued"

# The same for ops that the call did not wait for.
XS_SIM_MEM_GBS=2 XS_SIM_CALL_NS=3000 detached 3 bpp 1 1500
issued=$(count '^copycall ')
within "sets and copies" "$issued" 100 20000
within "their ops" "$(count '^(set|copy) ')" "$issued" $((issued + 10))

# Graphs survive the detaching, before which records stay on. Before CUPTI 12.9
# they do not; if records were off before, they do not either: CUPTI then stays
# attached with everything disabled.
if [ "$XS_CUDA_VERSION" -ge 12090 ]; then
	detached 3 gpc 2 900
	hooks_alone 1
	what="graphs, records off at first"
	# our thread has 2 s to switch them off
	XFERSPY_RANGE=2+5 traced "$XS_APPS/rush" ggg 2 3600
	expect "$what: status" "$status" 0
	expect "$what: wrong" "$(said wrong)" 0
	finalized 0 0
fi
detached 3 pgp 2 900
[ "$(said replays)" -gt 0 ] || fail "no replays"

# Migrations are recorded until CUPTI is detached, and the trace states it.
detached 3 mpc 1 900
within "migrations" "$(count '^copy .*flags=[45] ')" 1 1e9
expect "migrations: notes" "$(count 'recorded only until light mode ended')" 1
detached 1 pmp 1 900
expect "migrations" "$(count '^copy .*flags=[45] ')" 0
expect "migrations: notes" "$(count 'began to use managed memory when')" 1

# A profiler that subscribes to CUPTI later gets it.
detached 1 pic 1 1500
expect "itself: subscribed" "$(said subscribed)" 0
expect "itself: heard" "$(said heard)" 1
within "itself: counted" "$(json calls_counted)" 10000 1e9

# CUPTI is detached also if a library is linked to it, as PyTorch's are, and does
# not use it.
echo 'int nothing_of_it;' >user.c
"$XS_CC" -shared -fPIC user.c -o libuser.so -Wl,--no-as-needed "$XS_CUPTI"
LD_LIBRARY_PATH="$XS_SIM:$work" detached 3 lcp 1 900

# CUPTI stays attached if it was loaded before us, since its use may then be
# unseen, or if there is another device.
XS_PRELOAD="$XS_PRELOAD:$XS_CUPTI" rush pcp 1 900
finalized 0 0
XS_SIM_DEVICES=2 rush dcp 1 900
finalized 0 0

# A library's constructor uses CUDA while it holds the loader's lock, which
# CUPTI needs: no thread waits forever.
mkdir constructor
cat >user.c <<'EOF'
#include <cuda_runtime_api.h>
#include <unistd.h>

__attribute__((constructor)) static void use_cuda(void)
{
	void *memory;

	cudaMalloc(&memory, 4096);
	for (int i = 0; i < 2000; i++) {
		cudaMemset(memory, 0, 4096);
		usleep(300);
	}
	cudaFree(memory);
}
EOF
# shellcheck disable=SC2086 # several flags
"$XS_CC" $XS_CC_FLAGS -shared -fPIC user.c -o constructor/libuser.so -lcudart
for ms in 1500 3000 6000 12000; do
	traced env LD_LIBRARY_PATH="$XS_SIM:$work/constructor" \
		"$XS_APPS/rush" plp 2 $ms
	expect "constructor: status" "$status" 0
	read_trace
	[ "$(left_ms)" -gt $ms ] || break
done
finalized 1 1
expect "constructor: lost" "$(json lost)" 0

# A library that calls the driver itself, or has its own runtime, which no hook
# sees. Its calls are recorded while CUPTI is attached. Later calls are missed,
# and the report states from when on.
cat >user.c <<'EOF'
#include <cuda.h>
#include <pthread.h>
#include <unistd.h>

#ifdef WITH_RUNTIME
int run_plugin(void);
#else
static void run_plugin(void)
{
	char bytes[1024] = "";
	CUdeviceptr memory;
	CUcontext context;

	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	cuMemAlloc(&memory, sizeof(bytes));
	for (int i = 0; i < 160; i++)
		cuMemcpyHtoD(memory, bytes, sizeof(bytes));
}
#endif

static void *use_cuda(void *nothing)
{
	usleep(800000);
	run_plugin();
	return nothing;
}

__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, use_cuda, NULL);
}
EOF
mkdir driver runtime
# shellcheck disable=SC2086 # several flags
"$XS_CC" $XS_CC_FLAGS -shared -fPIC user.c -o driver/libuser.so -lcuda
# shellcheck disable=SC2086 # several flags
"$XS_CC" $XS_CC_FLAGS -shared -fPIC -DWITH_RUNTIME user.c \
	-o runtime/libuser.so -L"$XS_APPS" -l:plugin-static.so
for library in driver runtime; do
	for when in lpp plp; do
		what="another user, $library, $when"
		libraries=$XS_SIM:$XS_APPS:$work/$library
		for ms in 1500 3000 6000 12000; do
			traced env LD_LIBRARY_PATH="$libraries" \
				"$XS_APPS/rush" $when 1 $ms
			expect "$what: status" "$status" 0
			read_trace
			[ "$(left_ms)" -gt $ms ] || break
		done
		finalized 1 1
		expect "$what: lost" "$(json lost)" 0
		grep -q 'only calls of the shared CUDA runtime' \
			report.json || fail "$what: nothing said"
	done
done

# CUPTI does not stay attached for long because a flush delivered nothing: all
# records arrive while the others wait. It is there, with two callbacks a call,
# for 0.3 of the calls; if the machine delays our thread for longer, the rush
# runs again.
for _ in 1 2 3 4 5; do
	XS_SIM_CUPTI_HELD=6 detached 1 pcc 1 3000
	callbacks=$(sed -n 's/^callbacks of the runtime: //p' err)
	[ "$callbacks" -gt $((calls * 6 / 10)) ] || break
done
within "$what: callbacks" "$callbacks" 10000 $((calls * 6 / 10))

# If CUPTI refuses to detach, it stays, and is not asked again.
XS_SIM_CUPTI_FINALIZE_FAIL=1 detached 3 pcc 1 600
hooks_alone 1

# If several threads make such calls at once, CUPTI stays attached: nothing keeps
# a call from beginning while CUPTI is detached.
what="static, threads"
traced "$XS_APPS/counted-static" together 20000
expect "$what: status" "$status" 0
finalized 0 0
