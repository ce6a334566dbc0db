#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs on the simulated device: every variant has the same result, and
# predict.py holds predictions against what measure.sh wrote.
# random.sh SOURCES BUILD PYTHON
set -u
random=$1/examples/random
build=$2
python=$3
export LD_LIBRARY_PATH="$build/tests/sim/lib"
. "$(dirname "$0")/../scratch.sh"

# Between them they have all variants.
for seed in 5 64; do
	variants=$("$build/examples/random/random" --seed "$seed" --list | head -1)
	output=$("$build/examples/random/random" --seed "$seed" --rounds 2 \
		--variant all 2>&1)
	code=$?
	if [ "$code" -ne 0 ] || [ "$(echo "$output" | wc -l)" -ne \
		"$(echo "$variants" | wc -w)" ]; then
		echo "failed ($code): seed $seed has $variants: $output"
		failed=1
	fi
	seen="${seen:-} $variants"
done
for variant in baseline pinned streams double-buffer reuse batch resident graph; do
	case " $seen " in
	*" $variant "*) ;;
	*) echo "failed: no program with $variant" && failed=1 ;;
	esac
done

mkdir -p "$scratch/out"
cp "$1/examples/machines/simulated.json" "$scratch/out/machine.json"
if ! "$random/measure.sh" "$build" "$scratch/out" 25 26 3 >"$scratch/log" 2>&1; then
	echo "failed: measure.sh" && cat "$scratch/log"
	failed=1
fi
"$python" -B "$random/predict.py" --xferspy "$build/bin/xferspy" --freeze \
	"$scratch/out" >"$scratch/traced" || failed=1
# Without the traces the same stands in what was frozen.
rm "$scratch"/out/*.xspy
"$python" -B "$random/predict.py" "$scratch/out" >"$scratch/frozen" || failed=1
if ! grep -q '^| 26 | `reuse` | .* % |$' "$scratch/frozen" ||
	! diff "$scratch/traced" "$scratch/frozen"; then
	echo "failed: no prediction, or another one without the trace"
	failed=1
fi
exit "$failed"
