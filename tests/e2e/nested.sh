#!/bin/sh
# SPDX-License-Identifier: MIT
# CUDA calls that the program makes while the library's code runs, from a
# function that the library calls, are not recorded: they would be recorded
# within another record. The calls around them are, and they keep errno.
. "$(dirname "$0")/lib.sh"

# nested MODE SETS: with that many recorded calls of sets
nested()
{
	what="nested, $1"
	XFERSPY_MODE=$1 traced "$XS_APPS/nested"
	unharmed "$what"
	inside=$(sed -n 's/^nested: //p' err)
	within "$what: calls inside the library" "$inside" 4 1000
	read_trace
	expect "$what: damage" "$(count '^# damaged')" 0
	expect "$what: lost" "$(json lost)" 0
	expect "$what: events" "$(count '^waitcall ')" 20000
	expect "$what: allocations and frees" "$(count '^memcall ')" 4001
	expect "$what: sets" "$(count '^copycall ')" "$2"
}

plain "$XS_APPS/nested"
expect "plain" "$(cat out)" "0 changed, 0 failed"
cp out out.plain
nested trace 40
expect "ops of all sets" "$(count '^set ')" $((40 + 2 * inside))
expect "ops of recorded calls" "$(json matched)" 40
# Those of the driver are seen only by CUPTI.
nested calls 20
