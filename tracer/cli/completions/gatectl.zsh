# Completion of gatectl for zsh. The table above is generated from the program's table of options.

_gatectl_program()
{
	_alternative 'commands:command:_command_names -e' 'files:program:_files -g "*(-*)"'
}

_gatectl()
{
	local curcontext=$curcontext state line
	local -a options
	typeset -A opt_args

	_arguments -C \
		'(- *)'{-h,--help}'[print what there is]' \
		'(- *)--version[print the version]' \
		'1: :_gatectl_commands' \
		'*:: :->arguments' && return
	if [[ $state == arguments && $words[1] == help ]]; then
		_arguments '1: :_gatectl_commands'
	elif [[ $state == arguments ]] && _gatectl_options $words[1]; then
		_arguments -s -S -A '-*' $options '1: :_gatectl_program' '*:: :_normal'
	fi
}

_gatectl "$@"
