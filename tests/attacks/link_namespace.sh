#!/bin/sh
# SPDX-License-Identifier: MIT
# A program that loads CUDA once more by dlmopen(): the copy is not seen, works,
# and the calls of the program itself are all recorded.
. "$(dirname "$0")/../e2e/lib.sh"

runtime=$(find "$XS_SIM" -name 'libcudart.so.*' | head -1)
plain "$XS_PROGRAMS/link_namespace" "$runtime"
expect "plain: status" "$status" 0
expect "plain: output" "$(cat out)" "0 failed"
for mode in trace light events calls; do
	XFERSPY_MODE=$mode traced "$XS_PROGRAMS/link_namespace" "$runtime"
	expect "$mode: status" "$status" 0
	expect "$mode: output" "$(cat out)" "0 failed"
	read_report
	expect "$mode: calls" "$(json api_calls_seen)" 501
	expect "$mode: lost" "$(json lost)" 0
done
