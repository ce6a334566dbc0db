#!/bin/sh
# SPDX-License-Identifier: MIT
# The trace is deleted, renamed or replaced while the program runs: the line at
# exit names no file that is not the trace.
. "$(dirname "$0")/../e2e/lib.sh"

export XFERSPY_OUTPUT="$work/t.xspy"
for way in "rm t.xspy" "mv t.xspy other.xspy" \
	"rm t.xspy; echo mine >t.xspy" "rm t.xspy; mkdir t.xspy"; do
	rm -rf t.xspy other.xspy
	traced "$XS_PROGRAMS/between" "$way"
	expect "$way: exit code" "$status" 0
	expect "$way: stdout" "$(cat out)" "0 failed"
	expect "$way: stderr" "$(cat err)" "xferspy: no trace at $work/t.xspy: \
it was deleted or renamed while the program ran"
done
# A renamed trace is a trace.
rm -rf ./*.xspy
traced "$XS_PROGRAMS/between" "mv t.xspy other.xspy"
"$XS_COMMAND" dump other.xspy >dump.txt
expect "renamed: ops" "$(count '^set ')" 1
