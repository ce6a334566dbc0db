#!/bin/sh
# SPDX-License-Identifier: MIT
# Correlation ids wrap at 32 bits in the middle of a run: calls and ops are
# joined before and after. An id of 0 means none: that one op may have no call.
. "$(dirname "$0")/../e2e/lib.sh"

for last in 2147482647 4294966295 4294967294; do
	export XS_SIM_CUPTI_LAST_ID=$last
	for how in XFERSPY_MODE=trace XFERSPY_MODE=light \
		XFERSPY_MAX_SIZE=64M XFERSPY_RANGE=0+60; do
		traced env "$how" "$XS_PROGRAMS/threads" 1000
		what="$how, from $last"
		expect "$what: status" "$status" 0
		expect "$what: output" "$(cat out)" 3000
		read_trace
		expect "$what: calls" "$(json api_calls_seen)" 3001
		expect "$what: lost" "$(json lost)" 0
		[ "$how" != XFERSPY_MODE=light ] || continue
		expect "$what: ops" "$(count '^copy ')" 3000
		within "$what: joined" "$(json matched)" \
			$((last == 2147482647 ? 3000 : 2999)) 3000
	done
	expect "$last: the first id" "$(sed -n \
		's/^memcall .* correlation=\([0-9]*\).*/\1/p' dump.txt)" \
		$(((last + 1) % 4294967296))
done
