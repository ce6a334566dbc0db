#!/bin/sh
# SPDX-License-Identifier: MIT
# A seccomp filter refuses system calls that the library can do without.
. "$(dirname "$0")/../e2e/lib.sh"

for error in 1 38; do # EPERM, ENOSYS
	XFERSPY_HASH=1 traced "$XS_PROGRAMS/filtered" $error
	[ "$status" != 77 ] || exit 77
	expect "$error: exit code" "$status" 0
	expect "$error: stdout" "$(cat out)" "0 failed"
	read_trace
	expect "$error: copies" "$(count '^copycall ')" 3000
	expect "$error: ops" "$(count '^copy ')" 3000
	expect "$error: lost" "$(json lost)" 0
	expect "$error: closed" "$(count '^header .* state=1 ')" 1
done
