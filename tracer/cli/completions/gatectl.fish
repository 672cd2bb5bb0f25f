# Completion of gatectl for fish. The table below is generated from the program's table of options.

function __gatectl_no_command
    test (count (commandline -opc)) -eq 1
end

# True if the command is one of these.
function __gatectl_in
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv
end

# Folders, and files with this ending. The value of `--option=value` is completed alone: fish 3 and 4 differ in whether
# their own functions give the option back.
function __gatectl_files
    set -l value (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    for path in (complete -C "'' $value" | string split -f 1 \t)
        switch $path
            case '*/' "*$argv[1]"
                echo $path
        end
    end
end

complete -c gatectl -n __gatectl_no_command -f -s h -l help -d 'print what there is'
complete -c gatectl -n __gatectl_no_command -f -l version -d 'print the version'
complete -c gatectl -n __gatectl_no_command -f -a help -d 'print the options of a command'
complete -c gatectl -n 'not __gatectl_no_command' -F
complete -c gatectl -n 'not __gatectl_no_command' -a '(__fish_complete_command)'
