# SPDX-License-Identifier: MIT
# bash completion of xferspy, which itself says what may follow.

_xferspy()
{
	local line program='' word=${COMP_WORDS[COMP_CWORD]}

	COMPREPLY=()
	while IFS= read -r line; do
		case $line in
		:files)
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY \
				< <(compgen -f -- "$word")
			;;
		:program\ *) program=${line#:program } ;;
		*) COMPREPLY+=("${line%%$'\t'*}") ;;
		esac
	done < <("${COMP_WORDS[0]/#\~/$HOME}" complete \
		"${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	[ -n "$program" ] || return 0
	if declare -F _command_offset >/dev/null; then
		_command_offset "$((program + 1))"
	elif ((COMP_CWORD == program + 1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$word")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -F _xferspy xferspy
