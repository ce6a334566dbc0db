#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that the library exports the functions of its table and their twins,
# its CUPTI functions, and six more, and that it is never unloaded.
# usage: exports.sh LIBRARY functions.h cupti_hooks.c
set -eu
found=$(nm -D --defined-only "$1" | awk '{print $3}' | sort)
wanted=$( (
	sed -n -e 's/^	F(\(_*cuda\w*\), \([a-z]*\),.*/\1 \2/p' \
		-e 's/^	XS_WITH_ASYNC(F, \(\w*\),.*/\1 ptds\n\1Async ptsz/p' "$2" |
		while read -r name twin; do
			echo "$name"
			[ "$twin" = none ] || echo "${name}_$twin"
		done
	sed -n -e 's/^	ROUTE(\([A-Za-z]*\));$/\1/p' \
		-e 's/^HOOK(\([A-Za-z]*\),.*/\1/p' "$3"
	printf '%s\n' InitializeInjection InitializeInjectionNvtx2 dlclose \
		_exit _Exit xferspy_recorder
) | sort)
[ "$(echo "$wanted" | wc -l)" -gt 90 ]
printf '%s\n' "$found" >exports.found
printf '%s\n' "$wanted" >exports.wanted
diff exports.wanted exports.found
readelf -d "$1" | grep -q NODELETE
