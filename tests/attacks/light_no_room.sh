#!/bin/sh
# SPDX-License-Identifier: MIT
# Light mode of a program with 500 call sites, in files that are too small at
# different times: each call is recorded, counted or lost, and a report of a
# trace that lost records says so in its first line about them.
. "$(dirname "$0")/../e2e/lib.sh"
export XFERSPY_MODE=light XFERSPY_SUMMARY=0

for blocks in 64 256 700 1000 4000; do
	rm -f ./*.xspy
	(
		ulimit -f $blocks
		LD_PRELOAD="$XS_PRELOAD" timeout -k 5 $hangs \
			"$XS_APPS/counted" places 100 >out 2>err
	) || fail "$blocks: exit code $?"
	read_report
	"$XS_COMMAND" report ./*.xspy >report.txt
	coverage=$(sed -n '/^Coverage/,/^  [A-Z]\|^$/p' report.txt | tr -s '\n ' ' ')
	lost=$(json lost)
	expect "$blocks: calls" "$(($(json api_calls_seen) + $(json lost_calls)))" \
		50002
	case "$coverage" in
	*", $lost records lost"*) [ "$lost" -gt 0 ] || fail "$blocks: $coverage" ;;
	*" GPU ops"*) expect "$blocks: lost" "$lost" 0 ;;
	*) fail "$blocks: $lost lost: $coverage" ;;
	esac
	[ $blocks != 64 ] || [ "$lost" -gt 0 ] || fail "$blocks: none lost"
	[ $blocks != 4000 ] || expect "$blocks: lost" "$lost" 0
	! grep -q 'Numbers of calls and' report.txt ||
		fail "$blocks: calls without a hook are not exact"
done
