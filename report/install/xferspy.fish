# SPDX-License-Identifier: MIT
# fish completion of xferspy, which itself says what may follow.

function __xferspy_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    test -n "$word"; or set word ''
    for line in ($words[1] complete $words[2..-1] $word 2>/dev/null)
        switch $line
            case ':files'
                __fish_complete_path $word
            case ':program *'
                set -l first (math (string replace ':program ' '' -- $line) + 2)
                set -l rest $words[$first..-1]
                complete -C (string join ' ' -- (string escape -- $rest) $word)
            case '*'
                echo $line
        end
    end
end

complete -c xferspy -f -a '(__xferspy_complete)'
