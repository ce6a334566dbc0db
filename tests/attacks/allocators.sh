#!/bin/sh
# SPDX-License-Identifier: MIT
# Other allocators in the process, before and after the library: some make
# their own threads and handlers of fork, or allocate while they start.
. "$(dirname "$0")/../e2e/lib.sh"

tried=0
for name in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
	status=0
	LD_PRELOAD=$name cat </dev/null 2>err || status=$?
	if [ "$status" != 0 ] || [ -s err ]; then
		echo "$name is not installed"
		continue
	fi
	tried=$((tried + 1))
	for order in "$name:$XS_PRELOAD" "$XS_PRELOAD:$name"; do
		for mode in trace light events; do
			what="$order, $mode"
			rm -f ./*.xspy
			XFERSPY_MODE=$mode LD_PRELOAD=$order timeout -k 5 $hangs \
				"$XS_PROGRAMS/threads" 300 >out 2>err ||
				fail "$what: exit code $?"
			expect "$what: output" "$(cat out)" 900
			read_report
			expect "$what: calls" "$(json api_calls_seen)" 901
			expect "$what: lost" "$(json lost)" 0
			rm -f ./*.xspy
			XFERSPY_MODE=$mode LD_PRELOAD=$order timeout -k 5 $hangs \
				"$XS_PROGRAMS/forks" 20 >out 2>err ||
				fail "$what, forks: exit code $?"
			read -r copies right <out
			expect "$what: children" "$right" 20
			read_report
			expect "$what: calls with forks" \
				"$(json api_calls_seen)" $((copies + 1))
		done
	done
done
[ $tried -gt 0 ] || exit 77
