#!/bin/sh
# SPDX-License-Identifier: MIT
#
# docs/corpus.md is what predict.py writes.
#
#   corpus.sh SOURCES XFERSPY PYTHON
set -eu
page=$(mktemp)
trap 'rm -f "$page"' EXIT
"$3" -B "$1/examples/corpus/predict.py" --xferspy "$2" --write "$page"
if ! diff -u "$1/docs/corpus.md" "$page"; then
	echo "corpus.sh: write it again: examples/corpus/predict.py" \
		"--write docs/corpus.md" >&2
	exit 1
fi
