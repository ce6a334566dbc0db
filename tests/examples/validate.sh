#!/bin/sh
# SPDX-License-Identifier: MIT
# Every variant of each program gives the CPU's result, in both orders, with
# chunk sizes that divide the work and that do not.
# validate.sh PROGRAMS LIBRARIES
set -u
. "$(dirname "$0")/expect.sh"

# each ARGS...: one variant of each program, with indivisible sizes.
each() {
	# 25 blocks, the last with 1696 of 4096 ints
	expect 0 "^reduction $variant n=100000 .*: ok" reduction --n 100000 \
		--rounds 2 --variant "$variant" "$@"
	# 3 tiles a row, the last with 6 of 32 columns
	for kernel in naive tiled; do
		expect 0 "^matmul-$kernel $variant n=70 .*: ok" matmul --n 70 \
			--rounds 2 --kernel $kernel --variant "$variant" "$@"
	done
	expect 0 "^sweep-w7 $variant n=60012 .*: ok" sweep --n 60012 --work 7 \
		--rounds 2 --variant "$variant" "$@"
	# 4 blocks, the last with 233 of 256 ints
	expect 0 "^chain $variant n=4004 .*: ok" chain --n 4004 --work 7 \
		--rounds 2 --variant "$variant" "$@"
	expect 0 "^chain-all $variant n=4004 .*: ok" chain --n 4004 --work 7 \
		--middle all --rounds 2 --variant "$variant" "$@"
	# 2 blocks a level, the last with 33 of 256 points
	for routine in state buoydiff; do
		expect 0 "^pop-$routine $variant n=17 .*: ok" pop_$routine \
			--n 17 --levels 7 --rounds 2 --variant "$variant" "$@"
	done
}

for variant in pageable pinned mapped double-buffer; do
	each
done
for variant in streams pageable-streams hybrid; do
	for order in depth breadth; do
		each --order $order --streams 2
		each --order $order --streams 3
	done
done
# More into the device than out of it, and vice versa.
for variant in pinned streams mapped hybrid double-buffer; do
	expect 0 "asymmetric-in2-out1 $variant n=3145728.*: ok" sweep \
		--in-mb 2 --out-mb 1 --work 1 --rounds 1 --streams 3 \
		--variant $variant
	expect 0 "asymmetric-in1-out2 $variant n=3145728.*: ok" sweep \
		--in-mb 1 --out-mb 2 --work 1 --rounds 1 --streams 3 \
		--variant $variant
done

# A stream for each level, which needs the level above and the first.
expect 0 "streams=7 order=breadth.*: ok" pop_buoydiff --n 17 --levels 7 \
	--rounds 2 --variant streams --order breadth

# Many configurations in one process: 1 + 1 + 2 orders of 2 and of 3 chunks,
# without duplicates of 3.
expect 0 "" reduction --n 10000 --variant pinned,mapped,streams --rounds 1 \
	--streams 2,3,4 --order depth,breadth
if [ "$(echo "$output" | grep -c ': ok$')" -ne 6 ]; then
	echo "lists: not 6 measurements: $output"
	failed=$((failed + 1))
fi
expect 1 "is not known" sweep --variant pinned,pined
expect 1 "is not a number above 0" sweep --streams 2,,4

expect 1 "naive or tiled" matmul --kernel fast
expect 1 "at most" matmul --n 20000
expect 1 "go together" sweep --in-mb 3
expect 1 "not a number above 0" sweep --work 0
expect 1 "array of ints" sweep --n 10
expect 1 "each or all" chain --middle some
expect 1 "array of ints" chain --n 10
expect 1 "levels: at most" pop_state --levels 5000
expect 1 "not a number above 0" pop_buoydiff --levels 0

finish
