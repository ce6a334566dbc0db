#!/bin/sh
# SPDX-License-Identifier: MIT
# Failures of the trace's file system do not affect the program: its exit code
# and output are unchanged.
. "$(dirname "$0")/lib.sh"

# in_header FIELD: of the dump
in_header()
{
	sed -n "s/^header .* $1=\([0-9]*\).*/\1/p" dump.txt
}

# A limit on file size, 64 KiB. A block of dash's ulimit has 512 bytes. What is
# not in the trace is counted, each call and each op once.
plain "$XS_APPS/app" threads 300
cp out out.plain
traced "$XS_APPS/app" threads 300
unharmed "no limit"
read_trace
expect "no limit: lost" "$(json lost)" 0
calls=$(json api_calls_seen)
ops=$(json gpu_ops_seen)
rm -f ./*.xspy
(
	ulimit -f 128
	LD_PRELOAD="$XS_PRELOAD" exec "$XS_APPS/app" threads 300 >out 2>err
) || status=$?
lossy "file-size limit"
within "file-size limit: ops" "$(in_header lost_ops)" 1 1e9
expect "file-size limit: recorded and lost calls" \
	$(($(json api_calls_seen) + $(in_header lost_calls))) "$calls"
expect "file-size limit: recorded and lost ops" \
	$(($(json gpu_ops_seen) + $(in_header lost_ops))) "$ops"

# CUPTI drops records.
XS_SIM_CUPTI_DROP=7 traced "$XS_APPS/app" threads 300
unharmed "dropped"
read_trace
expect "dropped: of CUPTI" "$(in_header lost_cupti)" 7
expect "dropped: lost" "$(json lost)" 7
expect "dropped: ops" $(($(json gpu_ops_seen) + 7)) "$ops"
grep -q 'CUPTI dropped 7 GPU records' report.json || fail "dropped: no note"

# A limit that the trace does not reach, though space ahead of it would: 136 KiB,
# which leave less than the smallest step after the first.
rm -f ./*.xspy
(
	ulimit -f 272
	LD_PRELOAD="$XS_PRELOAD" exec "$XS_APPS/app" serial 5 >out 2>err
) || status=$?
expect "limit not reached: exit code" "$status" 0
read_trace
expect "limit not reached: lost" "$(json lost)" 0
grep -q 'no more room.*records that do not fit' report.json ||
	fail "limit not reached: no word"
! grep -q 'records are lost' report.json ||
	fail "limit not reached: nothing is lost"

# Nor has the line at exit any room, in the file that is stderr.
status=0
(
	ulimit -f 0
	LD_PRELOAD="$XS_PRELOAD" exec "$XS_APPS/app" serial 5 >/dev/null 2>err
) || status=$?
expect "no room for a line: exit code" "$status" 0

# A full pipe takes no line, and its reader waits for the program's end.
mkfifo full
exec 3<>full
dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null || :
status=0
LD_PRELOAD="$XS_PRELOAD" timeout -k 5 $hangs "$XS_APPS/app" serial 5 \
	>/dev/null 2>full || status=$?
exec 3<&-
expect "full stderr: exit code" "$status" 0

# Nowhere to write.
for folder in /proc/no/such /dev/null; do
	XFERSPY_OUTPUT=$folder/trace.xspy
	traced "$XS_APPS/app" threads 300
	unharmed "nowhere"
	grep -q "xferspy: no trace: cannot create $folder" err ||
		fail "nowhere: no word about it"
done
XFERSPY_OUTPUT="$work/%p.xspy"

# The program closes the trace's descriptor.
plain "$XS_APPS/app" closing 3000 </dev/null
cp out out.plain
traced_until 'closed the trace.s file' "$XS_APPS/app" closing 3000
lossy "closed" "closed the trace.s file"

# The trace does not use a descriptor from 0 to 2, which the program closed.
for closed in 1 2; do
	rm -f ./*.xspy
	(
		# shellcheck disable=SC3045 # dash has it
		ulimit -n 128
		eval "exec $closed>&-"
		LD_PRELOAD="$XS_PRELOAD" exec "$XS_APPS/app" tiny 20
	) >out 2>err || true
	read_trace
	expect "descriptor $closed closed: lost" "$(json lost)" 0
done

# Without the collector thread its work is done at exit.
cat >nothread.c <<'EOF'
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*run)(void *), void *data)
{
	Dl_info info;

	if (dladdr((void *)run, &info) && strstr(info.dli_fname, "/libxferspy."))
		return EAGAIN;
	return ((__typeof__(&pthread_create))dlsym(
	    RTLD_NEXT, "pthread_create"))(thread, attributes, run, data);
}
EOF
"$XS_CC" -D_GNU_SOURCE -shared -fPIC nothread.c -o nothread.so
plain "$XS_APPS/app" tiny 200
cp out out.plain
XS_PRELOAD="$XS_PRELOAD $work/nothread.so" traced "$XS_APPS/app" tiny 200
unharmed "no thread"
read_trace
expect "no thread: matched" "$(json matched)" "$(json gpu_ops_seen)"
within "no thread: ops" "$(json gpu_ops_seen)" 600 1e6
expect "no thread: the GPU is blamed" "$(count 'did not answer')" 0

# Nor is there a thread that notes that a window has ended: the calls that were
# only counted after it count in any case.
XFERSPY_MAX_SIZE=2M XS_PRELOAD="$XS_PRELOAD $work/nothread.so" \
	traced "$XS_APPS/counted" grow 5000
read_trace
expect "no thread, limited: the window ends" \
	"$(grep -c '^detail detail=0' dump.txt)" 1
within "no thread, limited: counted" "$(json calls_counted)" 1000 30000
expect "no thread, limited: bytes in" "$(json h2d_bytes)" \
	$((5000 * (4096 + 65536)))

# Variables are read at the first CUDA call: of a program that has cleared its
# environment by then, the trace has the default name.
cat >clear.c <<'EOF'
#include <stdlib.h>

__attribute__((constructor)) static void clear(void)
{
	unsetenv("XFERSPY_OUTPUT");
}
EOF
"$XS_CC" -D_GNU_SOURCE -shared -fPIC clear.c -o clear.so
XFERSPY_OUTPUT="$work/elsewhere.xspy" XS_PRELOAD="$work/clear.so $XS_PRELOAD" \
	traced "$XS_APPS/app" tiny 200
unharmed "environment cleared"
read_trace
expect "environment cleared: lost" "$(json lost)" 0
[ -n "$(find . -name 'xferspy.*.xspy')" ] || fail "environment cleared: name"

# A directory is the place for the trace, not part of its name.
mkdir traces
XFERSPY_OUTPUT="$work/traces" traced "$XS_APPS/app" tiny 20
[ -n "$(find traces -name 'xferspy.*.xspy')" ] || fail "not in the directory"
rm -r traces

# A signal handler that calls CUDA during a call does not end that call, on a
# stack of its own or on the thread's.
for how in "trace" "calls" "trace below" "calls below"; do
	what="handler, $how"
	# shellcheck disable=SC2086 # a mode, and perhaps an argument
	set -- $how
	XFERSPY_MODE=$1 XS_SIM_CALL_SIGNALS=1 \
		traced "$XS_APPS/handler" ${2:+"$2"}
	expect "$what: output" "$(cat out)" "done, 1 handled"
	read_trace
	expect "$what: copies" \
		"$(count '^copycall .* bytes=4096 .*direction=1 error=0')" 8
	expect "$what: lost" "$(json lost)" 0
done

# After a longjmp() out of a call the thread's calls are recorded as before.
for how in "trace" "calls" "trace handler"; do
	what="jump, $how"
	# shellcheck disable=SC2086 # a mode, and perhaps an argument
	set -- $how
	XFERSPY_MODE=$1 XS_SIM_CALL_SIGNALS=1 \
		traced "$XS_APPS/jump" ${2:+"$2"}
	expect "$what: status" "$status" 0
	read_trace
	expect "$what: copies" "$(count '^copycall ')" 30
	expect "$what: lost" "$(json lost)" 1
done
