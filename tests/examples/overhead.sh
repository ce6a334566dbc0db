#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The benchmark of the overhead runs, on the simulated device, and its page has
# what was measured; docs/overhead.md and README have what was measured last.
#
#   overhead.sh SOURCES BUILD PYTHON
set -u
sources=$1
build=$2
python=$3
overhead=$sources/examples/overhead
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

fail() {
	echo "failed: $*"
	failed=1
}

# page.py ARGS...: leaves no byte code among the sources.
page() {
	"$python" -B "$overhead/page.py" "$@"
}

LD_LIBRARY_PATH=$build/tests/sim/lib NSYS=/no/nsys "$python" -B \
	"$overhead/measure.py" --turns 2 --calls 1000 \
	--name simulated -o "$scratch/results.json" "$build" >"$scratch/out" 2>&1 ||
	fail "measure.py: $(cat "$scratch/out")"
cp "$sources/README.md" "$scratch/README.md"
page --write "$scratch/overhead.md" --readme "$scratch/README.md" \
	"$scratch/results.json" || fail "page.py"
for way in nothing "CUPTI's records alone" xferspy; do
	# times, ratios and all
	[ "$(grep -c "^| $way |.* µs (.*x) .* µs (.*x)" \
		"$scratch/overhead.md")" -eq 1 ] ||
		fail "$way: not in the page: $(cat "$scratch/out")"
	grep -q "^| $way |.* ms" "$scratch/overhead.md" ||
		fail "$way: no start-up time"
done
grep -q '^| nothing |.* µs (1.00x) | *|$' "$scratch/README.md" ||
	fail "README has no new table"

for results in "$overhead"/results/*.json; do
	[ -e "$results" ] || continue
	cp "$sources/README.md" "$scratch/README.md"
	page --write "$scratch/overhead.md" --readme "$scratch/README.md" \
		"$results" || fail "page.py $results"
	for file in docs/overhead.md README.md; do
		diff -u "$sources/$file" "$scratch/${file#docs/}" ||
			fail "$file is not of today; write it again:" \
				"examples/overhead/page.py --readme README.md" \
				"examples/overhead/results/${results##*/}"
	done
done
exit "$failed"
