# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# shellcheck disable=SC2034 # tests read $failed
# Sourced by tests: $scratch is a folder that is removed at the end; fail WHAT
# prints a failure and sets $failed, with which a test exits.
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

fail() {
	echo "failed: $*"
	failed=1
}
