# SPDX-License-Identifier: MIT
# bash completion of xferspy: commands and options are those of --help.

# Completes what `xferspy run` runs: word $1 names it, $2 is the last word.
_xferspy_program()
{
	if declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$2")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$2")
	fi
}

_xferspy()
{
	local xferspy=${COMP_WORDS[0]/#\~/$HOME} command=${COMP_WORDS[1]} words=''
	local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}
	local files=true i=2

	# bash makes three words of --option=value
	[ "$last" != = ] || last=${COMP_WORDS[COMP_CWORD - 2]}
	if ((COMP_CWORD == 1)) || [ "$command" = help ]; then
		files=false words="help --help --version $("$xferspy" --help |
			sed -n 's/^  \([a-z]*\)  .*/\1/p')"
	elif [ "$command" = run ]; then
		while [[ ${COMP_WORDS[i]} = -* ]] && ((i < COMP_CWORD)); do
			[[ ${COMP_WORDS[i]} = -o || ${COMP_WORDS[i]} = --output ]] && ((i++))
			((i++))
		done
		if ((i < COMP_CWORD)) || { ((i == COMP_CWORD)) && [[ $word != -* ]]; }; then
			_xferspy_program "$i" "$word"
			return
		fi
	fi
	case $last in
	--format) files=false words='text json html csv dot' ;;
	--color) files=false words='auto always never' ;;
	--to) files=false words='perfetto sqlite otf2' ;;
	--machine) words=$("$xferspy" report --machine list | cut -d ' ' -f 1) ;;
	*)
		[[ $word != -* ]] || ((COMP_CWORD == 1)) ||
			files=false words=$("$xferspy" "$command" --help 2>/dev/null |
			sed -n 's/^  \(-., \)*\(--[a-z0-9-]*\).*/\2/p')
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
	if $files; then
		compopt -o filenames 2>/dev/null
		mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
	fi
}
complete -F _xferspy xferspy
