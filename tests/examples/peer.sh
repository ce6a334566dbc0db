#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages between two simulated GPUs, with libraries that stand for NCCL and
# NVSHMEM: whatever fails in them or in another process ends with an error and a
# code, and a file that can be read where rows were measured before.
# peer.sh PROGRAMS LIBRARIES MESSAGES
# LIBRARIES: the folder of the simulated device. MESSAGES: that of nccl/,
# nvshmem/ and device_put.
set -u
export LD_LIBRARY_PATH="$2:$3/nccl:$3/nvshmem"
failed=0

# says TEXT: the output of the last command has it
says() {
	echo "$output" | grep -q "$1" && return
	echo "no \"$1\":"
	echo "$output"
	failed=1
}

# expect CODE TEXT COMMAND...: its exit code, and text in its output
expect() {
	code=$1 text=$2
	shift 2
	output=$(timeout 600 "$@" 2>&1)
	got=$?
	[ "$got" -eq "$code" ] || {
		echo "$*: exit code $got, not $code"
		failed=1
	}
	says "$text"
}

# fault NAMES TEXT COMMAND...: the same with faults, of which it says so
fault() {
	export XS_TEST_FAULT="$1"
	text=$2
	shift 2
	expect 3 "$text" "$@"
	unset XS_TEST_FAULT
}

expect 1 'on two GPUs (here: 1)' "$1/peer"
expect 1 'between two GPUs' "$1/putget" peers
export XS_SIM_DEVICES=2
fault wrong 'peer: NVSHMEM, 8 bytes: WRONG data' "$1/peer" 8
says 'NVSHMEM: the process of GPU . ended with code 3'
says '"way": "nccl"'
says '^\]}'
# the other process may end first, once it is alone
ended='the process of GPU . \(was ended by signal 9\|ended with code 3\)'
fault dies+nccl-refuses "NVSHMEM: $ended" "$1/peer" 8
says 'peer: NCCL does not start'
# a parent that ignores the ends of its children
fault wrong 'NVSHMEM: the process of GPU . ended with code 3' \
	env --ignore-signal=CHLD --block-signal=ALRM "$1/peer" 8
fault refuses 'device_put: NVSHMEM does not start' "$3/device_put"
fault no-memory 'device_put: NVSHMEM has no memory' "$3/device_put"
fault dies "device_put: $ended" "$3/device_put"
expect 3 'device_put: cannot write the output' sh -c "'$3/device_put' > /dev/full"
expect 0 '"bytes": 16777216, "median_ns"' "$3/device_put"
# a library without its functions is none
ln -sf ../nccl/libnccl.so.2 "$3/without/libnvshmem_host.so.3"
export LD_LIBRARY_PATH="$2:$3/nccl:$3/without"
expect 0 '"way": "flag", "peer_access": true, "blocks": 32' "$1/peer" 512
says 'peer: without NVSHMEM'
# the simulated device copies nothing between GPUs while a kernel waits
expect 3 'assisted: the GPU did not set its flag' "$1/putget" peers
exit $failed
