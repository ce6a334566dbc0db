#!/bin/sh
# SPDX-License-Identifier: MIT
# A thread that calls exit() with a cancellation pending ends with its status.
. "$(dirname "$0")/../e2e/lib.sh"

for i in 1 2 3 4 5; do
	traced "$XS_PROGRAMS/exits" cancel
	expect "run $i: exit code" "$status" 7
	read_report
	within "run $i: copies" "$(json matched)" 100 100
done
