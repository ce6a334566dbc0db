#!/bin/sh
# SPDX-License-Identifier: MIT
# A test that tells threads of the library from those of programs does so in a
# clone, too, whose path has the library's name, as `git clone` makes it.
. "$(dirname "$0")/lib.sh"

mkdir xferspy
ln -s "$(cd "$(dirname "$0")" && pwd)" xferspy/scripts
ln -s "$XS_APPS" xferspy/apps
ln -s "$XS_SIM" xferspy/sim
ln -s "$(dirname "$XS_PRELOAD")" xferspy/lib
clone=$work/xferspy
XS_APPS=$clone/apps XS_SIM=$clone/sim \
	XS_PRELOAD=$clone/lib/$(basename "$XS_PRELOAD") \
	"$clone/scripts/faults.sh" || fail "faults.sh: $?"
