#!/bin/sh
# SPDX-License-Identifier: MIT
# However a process ends or forks, it behaves as without the library, and the
# trace can be read.
. "$(dirname "$0")/lib.sh"

# same MODE: output and exit code equal those without the library.
same()
{
	plain "$XS_APPS/app" "$1" 3
	plain_status=$status
	cp out out.plain
	traced "$XS_APPS/app" "$1" 3
	expect "$1: exit code" "$status" "$plain_status"
	diff out out.plain >&2 || fail "$1: stdout differs"
}

same errors
read_trace
# A destructor of a global object runs after the trace was closed.
same destructor
read_trace
within "destructor: allocations and frees" "$(count '^memcall ')" 7 8
same exit
read_trace
expect "exit: state" "$(count '^header .* state=1 ')" 1
same _exit
read_trace
expect "_exit: launches" "$(count '^call ')" 4
expect "_exit: kernels that were waited for" \
	"$(($(count '^kernel ') >= 3))" 1

# The parent has not used CUDA yet: both write their own trace.
same fork-before
expect "fork before CUDA: traces" "$(traces)" 2
for file in *.xspy; do
	"$XS_COMMAND" dump "$file" >dump.txt || fail "dump $file"
	expect "fork before CUDA: copies in" "$(count '^copy .*direction=1')" 6
done
same fork-after
read_trace
expect "fork after CUDA: copies in" "$(count '^copy .*direction=1')" 6

# Nothing is written if CUDA is not used.
same nothing
expect "no CUDA: traces" "$(traces)" 0
expect "no CUDA: stderr" "$(cat err)" ""
traced sh -c 'ls / | head -1 >/dev/null; true'
expect "shell: traces" "$(traces)" 0

# Killed in the middle.
rm -f ./*.xspy
LD_PRELOAD="$XS_PRELOAD" "$XS_APPS/app" endless 20 >out 2>err &
child=$!
tries=0
until grep -q ready out; do
	tries=$((tries + 1))
	[ "$tries" -lt 3000 ] || fail "killed: the program never got ready"
	sleep 0.1
done
tries=0 # the collector reads GPU records regularly
until "$XS_COMMAND" dump ./*.xspy >dump.txt && [ "$(count '^kernel ')" -ge 20 ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 3000 ] || fail "killed: no kernels before"
	sleep 0.1
done
kill -9 "$child"
wait "$child" 2>/dev/null || :
read_trace
expect "killed: state" "$(count '^header .* state=0 ')" 1
within "killed: kernels" "$(count '^kernel ')" 20 1e9
within "killed: launches" "$(count '^call ')" "$(count '^kernel ')" 1e9
within "killed: ops with their calls" "$(json matched)" 80 1e9

# A kernel that never ends delays the exit by 2 s; the rest is the time that it
# takes without.
start=$(date +%s)
traced "$XS_APPS/app" exit 3
usual=$(($(date +%s) - start))
start=$(date +%s)
traced env XS_SIM_HANG=4 "$XS_APPS/app" exit 3
expect "hang: exit code" "$status" 7
within "hang: seconds" $(($(date +%s) - start)) 0 $((60 + 5 * usual))
read_trace
expect "hang: kernels that ended" "$(count '^kernel ')" 3

# The trace cannot be written: the program does not notice.
plain "$XS_APPS/app" serial 2
cp out out.plain
XFERSPY_OUTPUT=/proc/no/such/folder/%p.xspy
traced "$XS_APPS/app" serial 2
expect "unwritable: exit code" "$status" 0
cmp -s out out.plain || fail "unwritable: stdout differs"
grep -q "xferspy: " err || fail "unwritable: no word about it on stderr"
