#!/bin/sh
# SPDX-License-Identifier: MIT
# putget measures flags of one block. The simulated device runs the blocks of a
# kernel one after the other, so the second one does not answer: the program has
# to say so and end.
# putget.sh PROGRAM LIBRARIES
# LIBRARIES: the folder of the simulated device.
set -u
export LD_LIBRARY_PATH="$2"
output=$(timeout 1800 "$1" 2>&1)
code=$?
if [ "$code" -eq 3 ] && echo "$output" | grep -q '"mailbox_1_ns": \[' &&
	echo "$output" | grep -q '^putget: mailbox: the GPU did not set its flag'
then
	exit 0
fi
echo "exit code $code, not 3 with an explanation:"
echo "$output"
exit 1
