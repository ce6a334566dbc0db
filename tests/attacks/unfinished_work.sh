#!/bin/sh
# SPDX-License-Identifier: MIT
# The program ends while the ops of the recorded part of a run are awaited: the
# trace says, once, how many are missing.
. "$(dirname "$0")/../e2e/lib.sh"

# The copy takes 52 s: it begins in the range's second, and is awaited in the
# next.
export XS_SIM_H2D_GBS=0.00002 XS_SIM_CUPTI_COMPLETE=1 XFERSPY_RANGE=0+1
traced "$XS_PROGRAMS/unfinished" 2000
expect "exit code" "$status" 0
read_trace
expect "ops" "$(count '^copy ')" 0
expect "notes" "$(count 'note=.*work of 1 calls .*when the program ended')" 1
grep -q 'not complete when the program ended' report.json || fail "not reported"
