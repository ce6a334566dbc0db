#!/bin/sh
# SPDX-License-Identifier: MIT
# The program ends while the ops of the recorded part of a run are awaited: the
# trace says, once, how many are missing.
. "$(dirname "$0")/../e2e/lib.sh"

# The copy takes hours: it begins in the range's four seconds, and is awaited after
# them.
export XS_SIM_H2D_GBS=0.0000001 XS_SIM_CUPTI_COMPLETE=1 XFERSPY_RANGE=0+4
traced_until '^detail detail=2 ' "$XS_PROGRAMS/unfinished"
expect "exit code" "$status" 0
read_trace
expect "ops" "$(count '^copy ')" 0
expect "notes" "$(count 'note=.*work of 1 calls .*when the program ended')" 1
grep -q 'not complete when the program ended' report.json || fail "not reported"
