#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs tests again and again beside four busy processes: none depends on how
# fast it runs.
#
#   tests/loaded.sh BUILD [TIMES [REGEX]]
#
# TIMES: 20. REGEX of the tests: those that have many threads or look at times.
set -eu
build=$1
times=${2:-20}
tests=${3:-^(e2e_(counted|detach|detail|driver|faults|graphs|storm|timing_source)|test_preload_process)$}

busy=
# shellcheck disable=SC2086 # several numbers
trap 'kill $busy' EXIT
trap 'exit 1' INT TERM
for _ in 1 2 3 4; do
	sh -c 'while :; do :; done' &
	busy="$busy $!"
done
ctest --test-dir "$build" --output-on-failure --no-tests=error -R "$tests" \
	--repeat "until-fail:$times"
