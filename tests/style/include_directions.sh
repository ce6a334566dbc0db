#!/bin/sh
# SPDX-License-Identifier: MIT
# Data flows one way: preload -> format -> analyzer -> model -> report. This
# test keeps the include directions of the folders true. Argument: the source
# folder.
set -u
cd "$1" || exit 2
bad=0
seen=0

# allow FOLDER 'PATTERN' REST...: project includes of FOLDER must match.
allow() {
	folder=$1
	pattern=$2
	for file in "$folder"/*.[ch] "$folder"/*/*.[ch]; do
		[ -e "$file" ] || continue
		seen=$((seen + 1))
		wrong=$(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$file" |
			grep -vE "\"($pattern)\"")
		if [ -n "$wrong" ]; then
			printf '%s includes against the direction of data:\n%s\n' \
				"$file" "$wrong"
			bad=1
		fi
	done
}

allow preload 'preload/[a-z_/]+\.h'
allow analyzer 'analyzer/[a-z_/]+\.h|preload/format\.h'
allow model 'model/[a-z_/]+\.h|analyzer/rounds/phase\.h'
allow report '(report|model|analyzer)/[a-z_/]+\.h'

# The vendor stays behind one header, and its profiler in one file.
vendor=$(grep -lE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<cupti' \
	preload/*.[ch] analyzer/*/*.[ch] model/*/*.[ch] report/*.[ch] |
	grep -vE '^preload/(cupti_api\.h|profiler\.c)$')
if [ -n "$vendor" ]; then
	printf 'only preload/cupti/cupti_api.h and profiler.c may include CUPTI, not: %s\n' "$vendor"
	bad=1
fi

# Libraries do not print.
printing=$(grep -nE '\b(printf|puts|perror)[[:space:]]*\(' preload/*.c \
	analyzer/*/*.c model/*/*.c)
if [ -n "$printing" ]; then
	printf 'libraries do not print:\n%s\n' "$printing"
	bad=1
fi

[ "$seen" -gt 20 ] || { echo "only $seen files seen in $1"; exit 2; }
exit "$bad"
