#!/bin/sh
# SPDX-License-Identifier: MIT
# putget copies beside a kernel that waits for a flag. The simulated device runs one
# after the other, so that the kernel does not answer: the program has to say so and
# end. So it has to on a full disk.
# putget.sh PROGRAM LIBRARIES
# LIBRARIES: the folder of the simulated device.
set -u
export LD_LIBRARY_PATH="$2"
output=$("$1" assisted 2>&1 >/dev/full)
code=$?
if [ "$code" -ne 2 ] || [ "$output" != 'putget: cannot write the output' ]; then
	echo "a full disk: exit code $code: $output"
	exit 1
fi
output=$(timeout 1800 "$1" 2>&1)
code=$?
if [ "$code" -eq 3 ] && echo "$output" | grep -q '"rows": \[' &&
	echo "$output" | grep -q 'putget: assisted: the GPU did not set its flag'
then
	exit 0
fi
echo "exit code $code, not 3 with an explanation:"
echo "$output"
exit 1
