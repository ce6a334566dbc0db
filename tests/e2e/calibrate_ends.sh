#!/bin/sh
# SPDX-License-Identifier: MIT
# calibrate ends early: a launch that never ends, a signal, a full disk. Nothing
# is left of its profile.
. "$(dirname "$0")/lib.sh"
export XDG_DATA_HOME="$PWD/data"
mkdir data

# nothing_left WHAT
nothing_left()
{
	expect "$1: files" "$(find data -type f | wc -l)" 0
}

# Each deadline of minutes takes seconds. Who started it may block its signal.
cat >deadline.c <<-'END'
	#include <sys/time.h>

	unsigned alarm(unsigned seconds)
	{
		const struct itimerval soon = {{0, 0}, {seconds / 20, 0}};

		setitimer(ITIMER_REAL, &soon, 0);
		return 0;
	}
END
"$XS_CC" -shared -fPIC deadline.c -o libdeadline.so
status=0
XS_SIM_HANG=100 LD_PRELOAD="$PWD/libdeadline.so" timeout -k 5 $hangs \
	env --block-signal=ALRM "$XS_COMMAND" calibrate >out 2>err || status=$?
expect "a launch that hangs: exit code" "$status" 2
grep -q 'the GPU did not answer within 120 s' err || fail "a launch that hangs"
nothing_left "a launch that hangs"

# An error that stays, from the first step on: an earlier profile is kept.
echo earlier >kept.json
status=0
XS_SIM_FAULT="$PWD/kept.json*.part" timeout -k 5 $hangs \
	"$XS_COMMAND" calibrate -o kept.json >out 2>err || status=$?
expect "a fault: exit code" "$status" 2
grep -q 'not even copies could be measured' err || fail "a fault: $(cat err)"
expect "a fault: earlier profile" "$(cat kept.json)" earlier

# The same once copies were measured: it does not replace a profile that has more.
cat >faults.c <<-'END'
	#include <fcntl.h>

	unsigned alarm(unsigned seconds)
	{
		static int calls;

		if (++calls == 20)
			open("fault", O_CREAT | O_WRONLY, 0600);
		return seconds * 0;
	}
END
"$XS_CC" -shared -fPIC faults.c -o libfaults.so
# faulty WHAT CODE: calibrates where profile.json may be
faulty()
{
	rm -f fault
	status=0
	XS_SIM_FAULT="$PWD/fault" LD_PRELOAD="$PWD/libfaults.so" \
		timeout -k 5 $hangs "$XS_COMMAND" calibrate -o profile.json \
		>out 2>err || status=$?
	expect "$1: exit code" "$status" "$2"
}
faulty "a late fault" 0
grep -q '"G_d2h"' profile.json || fail "a late fault: $(cat err)"
sed 's/"flag_ns": null/"flag_ns": {"value": 500}/' profile.json >more.json
cp more.json profile.json
faulty "a fault, more before" 2
cmp profile.json more.json || fail "a profile that has more was replaced"
grep -q 'profile.json: kept as it was: it has flag_ns, which could' err ||
	fail "a profile that has more: $(cat err)"

for signal in HUP TERM PIPE USR1 XCPU; do
	"$XS_COMMAND" calibrate >out 2>err &
	until [ "$(find data -name '*.part' | wc -l)" = 1 ]; do
		kill -0 $! || fail "$signal: it ended"
		sleep 0.1
	done
	kill -$signal $!
	status=0
	wait $! || status=$?
	expect "$signal: exit code" "$(kill -l $status)" $signal
	nothing_left "$signal"
done

# A second signal, to another thread, while the file is being deleted.
cat >twice.c <<-'END'
	#define _GNU_SOURCE
	#include <pthread.h>
	#include <signal.h>
	#include <string.h>
	#include <sys/syscall.h>
	#include <unistd.h>

	static void *wait(void *unused)
	{
		return pause() ? unused : unused;
	}

	static void __attribute__((constructor)) start(void)
	{
		pthread_t thread;

		pthread_create(&thread, 0, wait, 0);
	}

	int unlink(const char *path)
	{
		static int again;

		if (strstr(path, ".part") && !again++) {
			kill(getpid(), SIGHUP);
			usleep(100000);
		}
		return syscall(SYS_unlinkat, -100, path, 0);
	}
END
"$XS_CC" -shared -fPIC twice.c -o libtwice.so
LD_PRELOAD="$PWD/libtwice.so" "$XS_COMMAND" calibrate >out 2>err &
until [ "$(find data -name '*.part' | wc -l)" = 1 ]; do
	kill -0 $! || fail "twice: it ended"
	sleep 0.1
done
kill -HUP $!
status=0
wait $! || status=$?
expect "twice: exit code" "$(kill -l $status)" HUP
nothing_left "twice"

# What was there stays, whatever ends it.
echo earlier >profile.json
"$XS_COMMAND" calibrate -o profile.json >out 2>err &
until [ "$(find . -name 'profile.json.*.part' | wc -l)" = 1 ]; do
	kill -0 $! || fail "-o: it ended"
	sleep 0.1
done
kill -KILL $!
wait $! || true
expect "-o: the file" "$(cat profile.json)" earlier
