#!/bin/sh
# SPDX-License-Identifier: MIT
# A full disk, or one that other programs fill meanwhile: the program does not
# notice. Skipped without the right to mount.
. "$(dirname "$0")/../e2e/lib.sh"

mkdir disk
mount -t tmpfs -o size=64k none disk 2>/dev/null || exit 77
trap 'umount -l "$work/disk"; rm -rf "$work"' EXIT
plain "$XS_APPS/app" threads 300
cp out out.plain
XFERSPY_OUTPUT=$work/disk/%p.xspy
traced "$XS_APPS/app" threads 300
mv disk/*.xspy .
lossy "full disk"
mount -o remount,size=4m disk
LD_PRELOAD="$XS_PRELOAD" "$XS_APPS/app" threads 300 >out 2>err &
program=$!
until [ -n "$(find disk -name '*.xspy' -size +8k)" ]; do
	kill -0 "$program" || fail "disk that fills: no trace"
	sleep 0.02
done
cat /dev/zero >disk/others 2>/dev/null || :
wait "$program" || status=$?
unharmed "disk that fills"
rm -f disk/others ./*.xspy
mv disk/*.xspy .
read_trace
expect "disk that fills: damage" "$(count '^# damaged')" 0
# A disk without space for a single page.
cat /dev/zero >disk/others 2>/dev/null || :
traced "$XS_APPS/app" threads 300
unharmed "no room at all"
expect "no room at all: traces" "$(traces)" 0
grep -q "No space left on device" err || fail "no room at all: no word"
