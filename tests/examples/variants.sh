#!/bin/sh
# SPDX-License-Identifier: MIT
# Every variant of stencil and vecadd gives the CPU's result, in both orders,
# with chunk sizes that divide the work and that do not.
# variants.sh PROGRAMS LIBRARIES
set -u
. "$(dirname "$0")/expect.sh"

for variant in pageable pinned mapped double-buffer; do
	expect 0 "^stencil $variant n=20 .*: ok" stencil --n 20 --rounds 2 \
		--variant $variant
	expect 0 "^vecadd $variant n=1000 .*: ok" vecadd --n 1000 --rounds 2 \
		--variant $variant
done
for variant in streams pageable-streams hybrid; do
	for order in depth breadth; do
		# 18 inner planes: in chunks of 1, of 9, of 4 and a rest of 2
		for streams in 18 2; do
			expect 0 "streams=$streams order=$order.*: ok" stencil \
				--n 20 --rounds 2 --variant $variant \
				--order $order --streams $streams
		done
		expect 0 "streams=5 .*: ok" stencil --n 20 --rounds 2 \
			--variant $variant --order $order --chunk 4
		expect 0 "streams=3 .*: ok" vecadd --n 1000 --rounds 2 \
			--variant $variant --order $order --streams 3
	done
done
expect 0 ": ok" stencil --n 20 --rounds 1 --no-touch
# Both sets of buffers get a round.
expect 0 ": ok" vecadd --n 1000 --rounds 1 --variant double-buffer

# Many configurations in one process: 1 + 1 + 2 orders of 9, 6 and 5 chunks each
# of streams and hybrid, without duplicates of 9.
expect 0 "" stencil --n 20 --rounds 1 --chunk 2,3,4,2 --order depth,breadth \
	--variant pinned,streams,hybrid,double-buffer
if [ "$(echo "$output" | grep -c ': ok$')" -ne 14 ] ||
	[ "$(echo "$output" | grep -c 'streams=9 order=')" -ne 4 ]; then
	echo "lists: not 14 measurements: $output"
	failed=$((failed + 1))
fi
expect 0 '"strategy": "streams", "n_streams": 3, "order": "depth", "measured_' \
	vecadd --n 1000 --rounds 2 --variant streams --streams 3 --json
expect 0 '"n_streams": 0, "order": null, ' stencil --n 20 --rounds 2 --json
expect 0 '"launch": {"calls": 1000, .*"copy": {"calls": 500, ' launch_bench \
	launch,copy 1000
expect 0 '"ops": 4584}' launch_bench sync,threads 640

expect 1 "not known" stencil --variant pinnd
expect 1 "not a number above 0" stencil --rounds 0
expect 1 "depth or breadth" vecadd --order random
expect 1 "between 3 and" stencil --n 2
expect 1 "not an option" vecadd 1000

finish
