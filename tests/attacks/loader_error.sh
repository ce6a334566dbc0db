#!/bin/sh
# SPDX-License-Identifier: MIT
# The loader keeps a message for the program's next dlerror(): CUDA calls
# between do not delete it, also where the library looks up a function.
. "$(dirname "$0")/../e2e/lib.sh"

plain "$XS_PROGRAMS/loader_error"
expect "plain: status" "$status" 0
mv out out.plain
for how in XFERSPY_MODE=trace XFERSPY_MODE=light XFERSPY_MODE=events \
	XFERSPY_MODE=calls XFERSPY_HASH=full XFERSPY_STACK=64; do
	traced env "$how" "$XS_PROGRAMS/loader_error"
	unharmed "$how"
	read_report
	expect "$how: lost" "$(json lost)" 0
done
