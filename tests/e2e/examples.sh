#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples check their own results, on the simulated device, too.
. "$(dirname "$0")/lib.sh"

plain "$XS_APPS/arithmetic"
expect "arithmetic: exit code" "$status" 0

for variant in pageable pinned streams pageable-streams mapped hybrid; do
	plain "$XS_EXAMPLES/stencil" --n 24 --rounds 1 --streams 4 \
		--variant "$variant"
	expect "stencil $variant: exit code" "$status" 0
	grep -q ': ok' out || fail "stencil $variant: not ok"
done
for variant in pageable pinned streams; do
	plain "$XS_EXAMPLES/vecadd" --n 20000 --rounds 1 --variant "$variant"
	expect "vecadd $variant: exit code" "$status" 0
	grep -q ': ok' out || fail "vecadd $variant: not ok"
done

# xferspy run finds the library by itself, and the report names a strategy.
XFERSPY_OUTPUT=
plain "$XS_COMMAND" run -o run.xspy -- "$XS_EXAMPLES/stencil" --n 48 --rounds 4
expect "run: exit code" "$status" 0
read_trace
expect "run: bytes in" "$(sum '^copy .*direction=1 src_memory=1' bytes)" \
	$((5 * 48 * 48 * 48 * 4))
grep -q '"strategy": "pinned"' report.json || fail "run: no estimate for pinned"
