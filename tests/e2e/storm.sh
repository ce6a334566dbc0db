#!/bin/sh
# SPDX-License-Identifier: MIT
# Whenever a program is killed, its trace can be read, has every call that had
# returned, and lacks at most the GPU work of one interval.
. "$(dirname "$0")/lib.sh"

"$XS_STORM" "$XS_APPS/storm" "$XS_PRELOAD" "$XS_COMMAND" 200 ||
	fail "the storm left a mark"
