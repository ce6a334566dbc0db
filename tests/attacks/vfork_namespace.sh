#!/bin/sh
# SPDX-License-Identifier: MIT
# A child of vfork() with its parent's process id, in another namespace: its
# _exit() does not end its parent's trace.
. "$(dirname "$0")/../e2e/lib.sh"

unshare -pf --mount-proc true 2>err || exit 77
traced unshare -pf --mount-proc "$XS_PROGRAMS/vfork_namespace"
[ "$status" != 77 ] || exit 77
expect "exit code" "$status" 0
expect "stdout" "$(cat out)" "id 1, child 0, 0 failed"
read_trace
expect "closed" "$(count '^header .* state=1 ')" 1
expect "ops" "$(count '^set ')" 2
expect "lines at exit" "$(grep -c '^xferspy: ' err)" 1
