#!/bin/sh
# SPDX-License-Identifier: MIT
# A program changes its root folder, as a daemon does: the trace is whole, and
# the line at exit names it as its user sees it.
. "$(dirname "$0")/../e2e/lib.sh"

for folder in "$work" "$work/jail"; do
	mkdir -p "$folder"
	traced sh -c "cd '$folder' && exec '$XS_PROGRAMS/changed_root'"
	[ "$status" != 77 ] || exit 77
	expect "$folder: exit code" "$status" 0
	expect "$folder: stdout" "$(cat out)" "0 failed"
	trace=$(find "$work" -name '*.xspy')
	grep -q "^xferspy: wrote $trace (.*report $trace\$" err ||
		fail "$folder: the line at exit"
	read_trace
	expect "$folder: sets" "$(count '^set ')" 1
	expect "$folder: lost" "$(json lost)" 0
done
