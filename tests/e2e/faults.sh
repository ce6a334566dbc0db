#!/bin/sh
# SPDX-License-Identifier: MIT
# What the trace's file system does wrong is no matter of the program: it ends
# as it would, and says what it would say.
. "$(dirname "$0")/lib.sh"

plain "$XS_APPS/app" threads 40
cp out out.plain

# Copies and kernels of four threads, and the trace goes from under them.
for how in "trace 0" "trace 4096" "trace 1000000" "light 0"; do
	size=${how#* }
	rm -f ./*.xspy
	(
		until [ -n "$(find . -name '*.xspy' -size +8k)" ]; do
			sleep 0.02
		done
		truncate -s "$size" ./*.xspy
	) &
	cutter=$!
	XFERSPY_MODE=${how% *} LD_PRELOAD="$XS_PRELOAD" \
		"$XS_APPS/app" threads 200 >out 2>err || status=$?
	wait "$cutter"
	unharmed "$how"
	grep -q "was cut short" err || fail "$how: no word about it"
	expect "$how: size" "$(stat -c %s ./*.xspy)" "$size"
done

# Little room: a limit on the size of files, 64 KiB. In dash a block has 512.
plain "$XS_APPS/app" threads 300
cp out out.plain
rm -f ./*.xspy
(
	ulimit -f 128
	LD_PRELOAD="$XS_PRELOAD" exec "$XS_APPS/app" threads 300 >out 2>err
) || status=$?
lossy "file-size limit"

# Nowhere to write.
for folder in /proc/no/such /dev/null; do
	XFERSPY_OUTPUT=$folder/trace.xspy
	traced "$XS_APPS/app" threads 300
	unharmed "nowhere"
	grep -q "xferspy: no trace: cannot create $folder" err ||
		fail "nowhere: no word about it"
done
XFERSPY_OUTPUT="$work/%p.xspy"

# Without the trace's descriptor.
plain "$XS_APPS/app" closing 3000
cp out out.plain
traced "$XS_APPS/app" closing 3000
lossy "closed" "closed the trace.s file"
