#!/bin/sh
# SPDX-License-Identifier: MIT
# Into a copy of a program that has its owner's rights, the library is not
# loaded. As the program that `xferspy run` starts, it would say so.
. "$(dirname "$0")/../e2e/lib.sh"

# shellcheck disable=SC2016 # the pid of the new shell
run_copy()
{
	sh -c 'LD_PRELOAD=$XS_PRELOAD XFERSPY_RUN_PID=$$ exec ./copy -u' \
		>out 2>err || fail "exit code $?"
	expect "traces" "$(traces)" 0
}

cp "$(command -v id)" copy
chmod 755 . copy
run_copy
expect "own rights: user" "$(cat out)" "$(id -u)"
expect "own rights: loaded" "$(grep -c 'no trace of copy' err)" 1
{ chown 65534 copy && chmod u+s copy; } 2>err || exit 77
run_copy
[ "$(cat out)" = 65534 ] || exit 77 # such programs have no rights here
expect "setuid: loaded" "$(cat err)" ""
