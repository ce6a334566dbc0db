#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Times each program's ways untraced, in turns, and traces its first one.
#
#   measure.sh LIBRARY OUT [PROGRAM...]
#
# LIBRARY: libxferspy.so. OUT/PROGRAM.json: ms per step of each way, of each
# turn. OUT/PROGRAM.xspy: the trace, OUT/PROGRAM.traced.json: ms per step as it
# was recorded. A program whose framework is missing has none of them.
set -u
library=$1
out=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- loader to_device item offload kv_paging optimizer \
	cupy_reduction numba_steps jax_put decode triton_chunks
export XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONDONTWRITEBYTECODE=1

mkdir -p "$out"
for program; do
	if ! python3 "$here/$program.py" >"$out/$program.json"; then
		echo "measure.sh: $program does not run here" >&2
		rm -f "$out/$program.json"
		continue
	fi
	first=$(sed 's/{"\([^"]*\)".*/\1/' "$out/$program.json")
	XFERSPY_OUTPUT="$out/$program.xspy" LD_PRELOAD="$library" \
		python3 "$here/$program.py" --way "$first" \
		>"$out/$program.traced.json"
done
for trace in "$out"/*.xspy; do
	gzip -9n <"$trace" >"$trace.new" && mv "$trace.new" "$trace"
done
