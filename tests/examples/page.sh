#!/bin/sh
# SPDX-License-Identifier: MIT
#
# A page of docs/ is what the script beside its data writes.
#
#   page.sh SOURCES XFERSPY PYTHON FOLDER
#
# FOLDER: of examples/, and the name of the page.
set -eu
page=$(mktemp)
trap 'rm -f "$page"' EXIT
cp "$1/docs/$4.md" "$page"
"$3" -B "$1/examples/$4/predict.py" --xferspy "$2" --write "$page"
if ! diff -u "$1/docs/$4.md" "$page"; then
	echo "page.sh: write it again: examples/$4/predict.py --write" \
		"docs/$4.md" >&2
	exit 1
fi
