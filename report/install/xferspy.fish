# SPDX-License-Identifier: MIT
# fish completion of xferspy: commands and options are those of --help.

# Completes what `xferspy run` runs, given its words. Fails in options of its own.
function __xferspy_program
    while string match -q -- '-*' "$argv[1]"
        contains -- $argv[1] -o --output; and set -e argv[1]
        set -e argv[1]
    end
    test (count $argv) -eq 0; and string match -q -- '-*' (commandline -ct); and return 1
    set -l line (string join ' ' -- (string escape -- $argv) (commandline -ct))
    complete -C "$line"
    return 0
end

function __xferspy_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    if test (count $words) -eq 1; or test $words[2] = help
        $words[1] --help | string replace -rf '^  ([a-z]+)  +(.*)' '$1\t$2'
        printf '%s\n' help --help --version
        return
    end
    switch $words[-1]
        case --format
            printf '%s\n' text json html csv dot
        case --color
            printf '%s\n' auto always never
        case --to
            printf '%s\n' perfetto sqlite otf2
        case --machine
            $words[1] report --machine list | string replace -r ' .*' ''
            __fish_complete_path $word
        case -o --output
            __fish_complete_path $word
        case '*'
            test $words[2] = run; and __xferspy_program $words[3..-1]; and return
            if string match -q -- '-*' $word
                $words[1] $words[2] --help 2>/dev/null |
                    string replace -rf '^  (?:-., )?(--[a-z0-9-]+).*?   *(.*)' '$1\t$2'
            else
                __fish_complete_path $word
            end
    end
end

complete -c xferspy -fa '(__xferspy_complete)'
