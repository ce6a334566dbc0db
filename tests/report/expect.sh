# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced with the arguments XFERSPY SOURCES by tests of the command, which then run in
# a folder of their own with xferspy in the PATH, and end with exit $failed.
# shellcheck disable=SC2034 # the lines of expect use what seems unused
set -u
xferspy=$1 source=$2
traces=$source/tests/report/traces
before=$traces/pageable.txt pinned=$traces/pinned.txt slower=$traces/slower.txt
. "$(dirname "$0")/../scratch.sh"
mkdir "$scratch/bin" "$scratch/files"
ln -s "$xferspy" "$scratch/bin/xferspy"
PATH=$scratch/bin:$PATH
cd "$scratch/files" || exit 1

# expect CODE OUT ERR LINES: lines of shell end with the code, and have OUT in their
# output ('': any), and ERR in their messages ('': any, -: none).
expect() {
	(eval "$4") >../out 2>../err
	local code=$? out err
	out=$(cat ../out && echo .) err=$(cat ../err)
	[ "$code" = "$1" ] || fail "$4: exits with $code, not $1: $err"
	[[ $out == *"$2"* ]] || fail "$4: does not print '$2': $out"
	if [ "$3" = - ]; then
		[ -z "$err" ] || fail "$4: says $err"
	else
		[[ $err == *"$3"* ]] || fail "$4: does not say '$3': $err"
	fi
}
