#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The pages of docs/ are what the script beside their data writes.
#
#   page.sh SOURCES XFERSPY PYTHON FOLDER
#
# FOLDER: of examples/, and the name of the first page.
set -eu
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
cp "$1/docs/$4.md" "$pages"
"$3" -B "$1/examples/$4/predict.py" --xferspy "$2" --write "$pages/$4.md"
for page in "$pages"/*; do
	if ! diff -u "$1/docs/${page##*/}" "$page"; then
		echo "page.sh: write it again: examples/$4/predict.py --write" \
			"docs/$4.md" >&2
		exit 1
	fi
done
