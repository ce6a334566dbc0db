#!/bin/sh
# SPDX-License-Identifier: MIT
# Each way for a process to end, to exec and to have children: it behaves as
# without the library, and each process that used CUDA leaves its calls in its
# own trace. Devices that hang and destructors: process.sh; full disks:
# faults.sh.
. "$(dirname "$0")/lib.sh"
file=$work/trace.xspy # one name for all: later traces get .1, .2, ...
export XFERSPY_OUTPUT="$file"

# has WHAT FILE STATE: a whole piece of work in a trace
has()
{
	"$XS_COMMAND" dump "$2" >dump.txt || fail "$1: dump $2"
	"$XS_COMMAND" report "$2" >report.txt || fail "$1: report $2"
	expect "$1: state" "$(count "^header .* state=$3 ")" 1
	expect "$1: damage" "$(count '^# damaged')" 0
	expect "$1: copies" "$(count '^copycall ')" 2
	expect "$1: launches" "$(count '^call ')" 1
	[ "$3" = 0 ] ||
		expect "$1: ops of the GPU" "$(count '^(copy|kernel) ')" 3
}

# run COMMAND...: waits for it and its daemons, which hold its stdout
run()
{
	{
		code=0
		timeout $hangs "$@" 2>err || code=$?
		echo "$code" >code
	} | cat >out
	status=$(cat code)
}

# lives MODE TRACES: as without the library, with this many traces
lives()
{
	run "$XS_APPS/lives" "$1"
	plain_status=$status
	cp out out.plain
	rm -f ./*.xspy*
	run env LD_PRELOAD="$XS_PRELOAD" "$XS_APPS/lives" "$1"
	expect "$1: exit code" "$status" "$plain_status"
	diff out out.plain >&2 || fail "$1: stdout differs"
	expect "$1: traces" "$(find . -name 'trace.xspy*' | wc -l)" "$2"
}

for way in return exit _exit quick_exit; do
	lives $way 1
	has $way "$file" 1
done
for way in abort signal SIGTERM SIGKILL; do
	lives $way 1
	has $way "$file" 0
	within "$way: KiB on disk" "$(du -k "$file" | cut -f 1)" 1 384
done

# A killed process leaves its ops, and how long their record is complete: up to
# the end of one of them.
rm -f ./*.xspy*
LD_PRELOAD="$XS_PRELOAD" "$XS_APPS/app" endless >out 2>err &
program=$!
trap 'kill -9 "$program" 2>/dev/null || :; rm -rf "$work"' EXIT
tries=0
until [ -s "$file" ] && "$XS_COMMAND" dump "$file" 2>/dev/null |
	grep -m 1 '^header ' | grep -q ' flush_realtime_ns=[1-9]'; do
	tries=$((tries + 1))
	[ $tries -lt 2400 ] || fail "killed: not said until when"
	sleep 0.05
done
kill -9 "$program"
wait "$program" || :
trap 'rm -rf "$work"' EXIT
"$XS_COMMAND" dump "$file" >dump.txt || fail "killed: dump"
expect "killed: state" "$(count '^header .* state=0 ')" 1
expect "killed: damage" "$(count '^# damaged')" 0
awk '/^header / { sub(/.* flush_realtime_ns=/, ""); flushed = $1 }
	/^chunk / { sub(/.* base_ns=/, ""); base = $1 }
	/^time / { sub(/.* base_ns=/, ""); base = $1 }
	/^(copy|kernel|set) / {
		sub(/.* start=/, ""); start = $1
		sub(/.*duration=/, ""); ends = start + $1
		printf "%s %s %.0f\n", flushed, base, ends
	}' dump.txt >ends.txt
# numbers of 19 digits: awk rounds them
while read -r flushed base ends; do
	[ $((base + ends)) != "$flushed" ] || { echo same; break; }
done <ends.txt | grep -q same || fail "killed: no op ends at the flush"

# The process that execs leaves its trace open; the new program has its own.
lives exec-before 1
has exec-before "$file" 1
lives exec-after 2
has "exec-after: before" "$file" 0
has "exec-after: after" "$file.1" 1

# The child is first where it is spawned before the parent uses CUDA.
for way in spawn-before spawn-after; do
	lives $way 2
	has "$way: one" "$file" 1
	has "$way: the other" "$file.1" 1
done

lives daemon-before 1
has daemon-before "$file" 1
lives daemon-after 1
has daemon-after "$file" 1

# Many at once with the same file name.
rm -f ./*.xspy*
for _ in $(seq 12); do
	LD_PRELOAD="$XS_PRELOAD" "$XS_APPS/lives" return >>out.many 2>>err &
done
wait
expect "at once: all worked" "$(grep -c ' 0 wrong' out.many)" 12
expect "at once: traces" "$(find . -name 'trace.xspy*' | wc -l)" 12
for one in "$file"*; do
	has "at once" "$one" 1
done

# Other users may not read the trace.
expect "mode" "$(stat -c %a "$file")" 600
