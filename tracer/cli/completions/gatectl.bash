# Completion of gatectl for bash. The table above is made from the program's own.

_gatectl_reply()
{
	mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}

# Directories, and files that the pattern $1 does not leave out.
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

_gatectl()
{
	local cur=${COMP_WORDS[COMP_CWORD]} options valued word ended= i=2

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_gatectl_reply -W "$_gatectl_commands"
		return
	fi
	_gatectl_options "${COMP_WORDS[1]}" || return
	while ((i < COMP_CWORD)); do # as far as the program
		word=${COMP_WORDS[i]}
		if [[ $word == -- ]]; then
			ended=1
			((i++))
			break
		elif [[ $valued == *" $word "* ]]; then
			((i++))
			# --option=value comes as three words
			[[ ${COMP_WORDS[i]} == = ]] && ((i < COMP_CWORD)) && ((i++))
			if ((i == COMP_CWORD)); then
				cur=${cur#=}
				_gatectl_value "$word"
				return
			fi
		elif [[ $word != -* ]]; then
			break
		fi
		((i++))
	done
	if ((i < COMP_CWORD)); then # the program's own arguments
		if declare -F _command_offset > /dev/null; then
			_command_offset "$i"
		else
			_gatectl_files ''
		fi
	elif [[ $cur == -* && -z $ended ]]; then
		_gatectl_reply -W "$options"
	else
		_gatectl_program
	fi
}

complete -F _gatectl gatectl
