#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs tests again and again beside four busy processes: none depends on how
# fast it runs.
#
#   tests/loaded.sh BUILD [TIMES [REGEX]]
#
# TIMES: 3. REGEX of the tests: those of the library, in which threads race and
# the host's times are seen.
set -eu
build=$1
times=${2:-3}
tests=${3:-^(attack|e2e|test_preload)_}

busy=
# shellcheck disable=SC2086 # several numbers
trap 'kill $busy' EXIT
trap 'exit 1' INT TERM
for _ in 1 2 3 4; do
	sh -c 'while :; do :; done' &
	busy="$busy $!"
done
ctest --test-dir "$build" --output-on-failure --no-tests=error -R "$tests" \
	-j "$(nproc)" --repeat "until-fail:$times"
