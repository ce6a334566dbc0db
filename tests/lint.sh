#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Formatting, static analysis and shell checks over all tracked files.
#
#   tests/lint.sh BUILD
#
# BUILD: a configured build tree, for its compile_commands.json.
set -u
cd "$(dirname "$0")/.." || exit
build=${1:?tests/lint.sh needs a build tree}
failed=0

check() {
	name=$1
	shift
	if "$@"; then
		echo "lint: $name: clean"
	else
		echo "lint: $name: not clean" >&2
		failed=1
	fi
}

# Versions of clang-format differ in what they make of one style; the style is
# that of version 14.
format() {
	git ls-files '*.c' '*.h' '*.cu' |
		xargs -n 50 -P "$(nproc)" "$1" --dry-run -Werror
}

analysis() {
	# Files that have not changed are not read again. With that, a check across
	# files takes "i = run->end" in a loop's step for its first use. Generated
	# files are left out: the page's array of bytes alone takes minutes.
	mkdir -p "$build/cppcheck"
	cppcheck --project="$build/compile_commands.json" --quiet \
		--cppcheck-build-dir="$build/cppcheck" \
		--enable=warning,performance,portability --inline-suppr \
		--error-exitcode=1 --suppress=missingIncludeSystem --suppress=ctuuninitvar \
		-i "$(realpath --relative-base=. "$build")/" -j "$(nproc)"
}

shells() {
	git ls-files '*.sh' .ci/run |
		xargs -n 5 -P "$(nproc)" shellcheck -S warning -x -P SCRIPTDIR
}

# Bodies of functions, whose braces are at the start of a line: at most 40 lines.
lengths() {
	git ls-files '*.c' | xargs awk '
		FNR == 1 { begin = 0 }
		/^\{$/ { begin = FNR }
		/^}/ && begin {
			lines = FNR - begin - 1
			if (lines > 40) {
				printf "%s:%d: a function of %d lines\n",
					FILENAME, begin, lines
				long = 1
			}
			begin = 0
		}
		END { exit long }' >&2
}

for formatter in clang-format-14 clang-format; do
	if command -v "$formatter" >/dev/null &&
		"$formatter" --version | grep -q 'version 14\.'; then
		check clang-format format "$formatter"
		break
	fi
done
check 'length of functions' lengths
command -v cppcheck >/dev/null && check cppcheck analysis
command -v shellcheck >/dev/null && check shellcheck shells
exit "$failed"
