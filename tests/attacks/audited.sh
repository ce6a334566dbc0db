#!/bin/sh
# SPDX-License-Identifier: MIT
# An LD_AUDIT library beside us, which the loader asks about each binding.
. "$(dirname "$0")/../e2e/lib.sh"

[ -e "$XS_PROGRAMS/libaudit.so" ] || exit 77
for mode in trace events calls; do
	LD_AUDIT="$XS_PROGRAMS/libaudit.so" XFERSPY_MODE=$mode \
		traced "$XS_PROGRAMS/threads" 50
	expect "$mode: status" "$status" 0
	expect "$mode: output" "$(cat out)" 150
	read_report
	expect "$mode: calls" "$(json api_calls_seen)" 151
	expect "$mode: lost" "$(json lost)" 0
done
