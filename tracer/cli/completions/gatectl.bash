# Completion of gatectl for bash. The table above is generated from the program's table of options.

_gatectl_reply()
{
	mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}

# Directories, and files that the pattern $1 does not exclude.
_gatectl_files()
{
	compopt -o filenames 2> /dev/null
	mapfile -t COMPREPLY < <(
		{
			compgen -f -X "$1" -- "$cur"
			compgen -d -- "$cur"
		} | sort -u
	)
}

_gatectl_program()
{
	compopt -o filenames 2> /dev/null
	mapfile -t COMPREPLY < <(
		{
			compgen -f -- "$cur"
			[[ $cur == */* ]] || compgen -c -- "$cur"
		} | sort -u
	)
}

_gatectl_processes()
{
	_gatectl_reply -W "$(cd /proc && printf '%s ' [0-9]*)"
}

# The first argument of the command $1 after its options.
_gatectl_first()
{
	case $1 in
	attach) _gatectl_processes ;;
	replay) _gatectl_files '!*.schedule' ;;
	audit) _gatectl_files '!*.c' ;;
	*) _gatectl_program ;;
	esac
}

# Further arguments of the command $1, from word number $2 on.
_gatectl_more()
{
	local i=$2

	if [[ $1 == audit ]]; then
		_gatectl_first audit
		return
	elif [[ $1 == replay ]]; then # the program is the argument after the schedule
		((i++))
		[[ ${COMP_WORDS[i]} == -- ]] && ((i < COMP_CWORD)) && ((i++))
	fi
	if ((i == COMP_CWORD)); then
		_gatectl_program
	elif declare -F _command_offset > /dev/null; then
		_command_offset "$i"
	else
		_gatectl_files ''
	fi
}

_gatectl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} options valued word ended= i=2

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_gatectl_reply -W "$_gatectl_commands"
		return
	elif [[ ${COMP_WORDS[1]} == help ]]; then
		((COMP_CWORD == 2)) && _gatectl_reply -W "$_gatectl_commands"
		return
	fi
	_gatectl_options "${COMP_WORDS[1]}" || return
	while ((i < COMP_CWORD)); do # up to the first argument that is no option
		word=${COMP_WORDS[i]}
		if [[ $word == -- ]]; then
			ended=1
			((i++))
			break
		elif [[ $valued == *" $word "* ]]; then
			((i++))
			# bash splits --option=value into three words
			[[ ${COMP_WORDS[i]} == = ]] && ((i < COMP_CWORD)) && ((i++))
			if ((i == COMP_CWORD)); then
				cur=${cur#=}
				_gatectl_value "${COMP_WORDS[1]}" "$word"
				return
			fi
		elif [[ $word != -* ]]; then
			break
		fi
		((i++))
	done
	if ((i < COMP_CWORD)); then # the program's own arguments
		_gatectl_more "${COMP_WORDS[1]}" "$i"
	elif [[ $cur == -* && -z $ended ]]; then
		_gatectl_reply -W "$options"
	else
		_gatectl_first "${COMP_WORDS[1]}"
	fi
}

complete -F _gatectl gatectl
