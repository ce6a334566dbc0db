#!/bin/sh
# SPDX-License-Identifier: MIT
# More than 4 GiB in one allocation and copy: bytes are exact.
. "$(dirname "$0")/../e2e/lib.sh"
bytes=4362141753

export XS_SIM_COPY_ENDS=4096
export XS_SIM_MEMORY_MB=5000 XS_SIM_D2H_GBS=50 XS_SIM_PAGEABLE_GBS=50
for mode in trace ${XS_LONG:+events calls light}; do
	XFERSPY_MODE=$mode traced "$XS_PROGRAMS/large_copy" $bytes
	[ "$status" != 77 ] || exit 77
	expect "$mode: exit code" "$status" 0
	expect "$mode: output" "$(cat out)" "0 failed"
	read_trace
	expect "$mode: allocated" \
		"$(count "^memcall .* bytes=$bytes( |\$)")" 1
	expect "$mode: calls" "$(count "^copycall .* bytes=$bytes( |\$)")" 1
	expect "$mode: lost" "$(json lost)" 0
	[ $mode != calls ] || continue
	expect "$mode: ops" "$(count "^copy .* bytes=$bytes( |\$)")" 1
	expect "$mode: report" "$(json d2h_bytes)" $bytes
done
