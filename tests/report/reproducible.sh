#!/bin/sh
# SPDX-License-Identifier: MIT
# Two builds in folders of other names and depths give the same bytes. Takes the
# time of two builds. reproducible.sh SOURCES
set -u
. "$(dirname "$0")/../scratch.sh"
export SOURCE_DATE_EPOCH=1700000000
first=$scratch/first
second=$scratch/another/place

mkdir -p "$first/sources" "$second"
(cd "$1" && git ls-files -z | tar -c --null -T -) | tar -x -C "$first/sources" &&
	cp -a "$first/sources" "$second" || exit 1
for folder in "$first" "$second"; do
	{
		cmake -S "$folder/sources" -B "$folder/out" -G Ninja \
			-DBUILD_TESTING=OFF &&
			cmake --build "$folder/out" &&
			for generator in TGZ DEB; do
				cpack -G "$generator" -B "$folder/package" \
					--config "$folder/out/CPackConfig.cmake"
			done
	} >"$scratch/log" 2>&1 || {
		tail -20 "$scratch/log"
		exit 1
	}
done
for file in "$first"/out/bin/xferspy "$first"/out/lib/libxferspy.so \
	"$first"/package/*.tar.gz "$first"/package/*.deb; do
	cmp "$file" "$second/${file#"$first"/}" || fail "$file"
done
exit "$failed"
