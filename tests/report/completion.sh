#!/bin/bash
# SPDX-License-Identifier: MIT
# The completions of bash, and of zsh and fish where they are installed.
# completion.sh XFERSPY SOURCES
set -u
xferspy=$1
scripts=$2/report/install
. "$(dirname "$0")/../scratch.sh"
cd "$scratch" || exit 1
touch a.xspy 'b c.xspy' profile.json
mkdir bin
ln -s "$xferspy" bin/xferspy
PATH=$scratch/bin:$PATH
unset XFERSPY_MACHINES

# expect WHAT GOT WANT
expect() {
	[ "$2" = "$3" ] && return
	echo "failed: $1: got '$2', want '$3'"
	failed=1
}

# Each prints the candidates for the last of the words after "xferspy", with
# spaces between them.
in_bash() {
	bash --norc -c '. "$1/xferspy.bash"; shift
		COMP_WORDS=(xferspy "$@") COMP_CWORD=$#
		_xferspy; IFS=" "; printf "%s" "${COMPREPLY[*]}"' \
		- "$scripts" "$@" 2>&1
}

# zsh's own functions are replaced by some that print what they are given.
in_zsh() {
	# shellcheck disable=SC2016 # for zsh
	zsh -f -c 'scripts=$1; shift
		_describe() {
			local -a all=(${(P)argv[-1]})
			print -rn -- ${(M)${all%%:*}:#${words[CURRENT]}*}
		}
		_files() { print -rn -- ${words[CURRENT]}*(N); }
		_normal() { print -rn -- "normal $CURRENT $words"; }
		_complete() { source $scripts/_xferspy; }
		words=(xferspy "$@") CURRENT=$(( $# + 1 ))
		_complete' - "$scripts" "$@" 2>&1
}

in_fish() {
	local line="xferspy $*"
	fish --no-config -c 'source $argv[1]/xferspy.fish
		complete -C $argv[2]' "$scripts" "$line" 2>&1 |
		cut -f 1 | tr '\n' ' ' | sed 's/ $//'
}

for shell in bash zsh fish; do
	command -v "$shell" >/dev/null || continue
	expect "$shell: command" "$("in_$shell" rep)" "report"
	expect "$shell: option" "$("in_$shell" report --fo)" "--format"
	expect "$shell: option in first place" "$("in_$shell" --he)" "--help"
	expect "$shell: no such command" "$("in_$shell" nosuch --fo)" ""
	expect "$shell: option of diff" "$("in_$shell" diff a.xspy --al)" \
		"--allow-different"
	expect "$shell: format" "$("in_$shell" report --format j)" "json"
	expect "$shell: formats of diff" "$("in_$shell" diff --format t)" "text"
	expect "$shell: target" "$("in_$shell" export --to s)" "sqlite"
	expect "$shell: color" "$("in_$shell" diff --color al)" "always"
	expect "$shell: machine" "$("in_$shell" report --machine k)" "k20m k80"
	expect "$shell: no value" "$("in_$shell" report --streams 1)" ""
	expect "$shell: help" "$("in_$shell" help cal)" "calibrate"
	echo "$shell: tried"
done
for option in $("$xferspy" model --help | sed -n 's/^  \(-., \)*\(--[a-z0-9-]*\).*/\2/p'); do
	expect "bash: $option" "$(in_bash model "$option" | tr ' ' '\n' |
		grep -xc -e "$option")" 1
done
# The scripts have the values that --help names.
for option in format color to; do
	command=report
	[ $option = to ] && command='export'
	for value in $(in_bash "$command" "--$option" ''); do
		"$xferspy" "$command" --help | grep -A 3 -e "--$option" |
			grep -qw "$value" || expect "--$option" "$value" ""
	done
done
expect "bash: formats" "$(in_bash report --format '' | tr ' ' '\n' | sort)" \
	"$("$xferspy" report --help | sed -n 's/.*one of: \([a-z, ]*\) (.*/\1/p' |
		tr -d ' ' | tr ',' '\n' | sort)"
expect "bash: files" "$(in_bash report a)" "a.xspy"
expect "bash: after =" "$(in_bash report --format = c)" "csv"
expect "bash: machines and files" "$(in_bash model --machine p)" "profile.json"
expect "bash: program" "$(in_bash run -o x ./bin/xf)" "./bin/xferspy"
expect "bash: its arguments" "$(in_bash run -o x app --in b)" "b c.xspy bin"
if command -v zsh >/dev/null; then
	expect "zsh: in one word" "$(in_zsh report --format=c)" "--format=csv"
	expect "zsh: program" "$(in_zsh run -o x app --al)" "normal 2 app --al"
fi
if command -v fish >/dev/null; then
	expect "fish: files" "$(in_fish report a)" "a.xspy"
	expect "fish: program" "$(in_fish run -o x xferspy rep)" "report"
fi
exit "$failed"
