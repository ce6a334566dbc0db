#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs in namespaces of users and process ids, as in a container without
# root: process 1 of its namespace, and without /proc.
. "$(dirname "$0")/../e2e/lib.sh"

unshare --user --map-root-user --pid --fork true 2>err || exit 77
for how in "--mount-proc" "--mount --propagation private" "--net --ipc --uts"; do
	for mode in trace light events; do
		# shellcheck disable=SC2086 # several words
		XFERSPY_MODE=$mode traced unshare --user --map-root-user --pid \
			--fork $how "$XS_PROGRAMS/threads" 100
		expect "$how, $mode: status" "$status" 0
		expect "$how, $mode: output" "$(cat out)" 300
		read_trace
		expect "$how, $mode: calls" "$(json api_calls_seen)" 301
		expect "$how, $mode: lost" "$(json lost)" 0
		expect "$how, $mode: closed" \
			"$(count '^header .*pid=1 state=1 ')" 1
	done
done
# An empty /proc.
if unshare --user --map-root-user --mount mount -t tmpfs none /proc 2>err; then
	traced unshare --user --map-root-user --mount sh -c \
		"mount -t tmpfs none /proc && exec '$XS_PROGRAMS/threads' 100"
	expect "no /proc: status" "$status" 0
	expect "no /proc: output" "$(cat out)" 300
	read_trace
	expect "no /proc: calls" "$(json api_calls_seen)" 301
	expect "no /proc: lost" "$(json lost)" 0
fi
