#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that exits while its threads load and unload libraries does not
# crash. What is freed is overwritten, so that later reads of it are seen.
. "$(dirname "$0")/../e2e/lib.sh"
library="$XS_PROGRAMS/../preload/objects/libxs_object_device_code.so"
runs=${XS_LONG:+1100}
late=0

for i in $(seq "${runs:-40}"); do
	MALLOC_PERTURB_=165 traced "$XS_PROGRAMS/exits" loading "$library"
	expect "run $i: exit code" "$status" 7
	read_report
	# Exit waits 2 s for the library's thread, which on a slow or busy machine
	# may not get through; the trace then says so.
	if grep -q 'GPU did not answer in the 2 s' report.json; then
		late=$((late + 1))
	else
		expect "run $i: copies" "$(json matched)" 100
	fi
done
within "exits that waited in vain" $late 0 $((${runs:-40} - 1))
