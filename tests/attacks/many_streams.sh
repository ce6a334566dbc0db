#!/bin/sh
# SPDX-License-Identifier: MIT
# More streams than the trace has numbers for: nothing is lost, and it is said.
. "$(dirname "$0")/../e2e/lib.sh"

for streams in ${XS_LONG:+65534} 65600; do
	traced "$XS_PROGRAMS/many_streams" $streams
	expect "exit code" "$status" 0
	read_trace
	expect "ops" "$(count '^set ')" $streams
	expect "lost" "$(json lost)" 0
	expect "queues" "$(count '^queue ')" 65534
	said=$(grep -c 'more than 65,534 streams' report.json || :)
	expect "$streams streams: notes" "$said" $((streams > 65534))
done
