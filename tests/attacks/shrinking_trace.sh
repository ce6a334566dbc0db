#!/bin/sh
# SPDX-License-Identifier: MIT
# A trace shrinks while it is read, as when its writer ends: the reader goes on.
. "$(dirname "$0")/../e2e/lib.sh"

traced "$XS_APPS/app" tiny 3000
expect "exit code" "$status" 0
mv ./*.xspy t.xspy
"$XS_COMMAND" dump t.xspy >whole.txt
mkfifo pipe
(
	status=0
	"$XS_COMMAND" dump t.xspy >pipe || status=$?
	echo $status >code
) &
# The reader waits here: the pipe is full.
{
	read -r line
	truncate -s 4096 t.xspy
	echo "$line"
	cat
} <pipe >got
wait
expect "dump: exit code" "$(cat code)" 0
cmp -s whole.txt got || fail "dump: not the whole trace"
status=0
"$XS_COMMAND" report t.xspy >out 2>err || status=$?
expect "report: exit code" "$status" 2
