# Completion for bash: source this file. Words come from 'numachine list', so they are always those of
# the program.

_numachine_names() # WHAT: the first column of a listing
{
    "$1" list "$2" 2>/dev/null | awk '{ print $1 }'
}

_numachine_last() # the part behind the last comma, and what is before it
{
    local names=$1 word=${COMP_WORDS[COMP_CWORD]}
    local before=${word%"${word##*,}"}
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$names" -- "${word##*,}")
}

_numachine()
{
    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]}
    case $last in
    -g | --group) _numachine_last "$(_numachine_names "$program" groups)" ;;
    -e | --event)
        _numachine_last "$(_numachine_names "$program" events) $(_numachine_names "$program" sets)"
        ;;
    -m | --machine)
        mapfile -t COMPREPLY < <(compgen -f -W "$(_numachine_names "$program" machines)" -- "$word")
        ;;
    -s | --set)
        mapfile -t COMPREPLY < <(compgen -S = -W "$(_numachine_names "$program" keys)
            $(_numachine_names "$program" params)" -- "$word")
        ;;
    --state)
        mapfile -t COMPREPLY < <(compgen -W "total run stall stall/cache stall/mp killslip
            primary secondary mp slept other
            $(_numachine_names "$program" columns)" -- "$word")
        ;;
    --by)
        mapfile -t COMPREPLY < <(compgen -W "function line instruction thread region path" -- "$word")
        ;;
    detect)
        mapfile -t COMPREPLY < <(compgen -f -W "$(_numachine_names "$program" detectors)" -- "$word")
        ;;
    --sort)
        mapfile -t COMPREPLY < <(compgen -W "waited contended asleep spun longest held held_longest
            handover handover_longest taken delayed" -- "$word")
        ;;
    profile | c2c | placement | locks | report | diff | compare | collect) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    list) mapfile -t COMPREPLY < <(compgen -W "$("$program" list | awk '{ print $1 }')" -- "$word") ;;
    *)
        if [ "$COMP_CWORD" -eq 1 ]; then
            mapfile -t COMPREPLY < <(compgen -W \
                "run points collect stat profile c2c placement locks report diff compare list check init protocol topology latency detect bench test" -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        ;;
    esac
}

complete -o filenames -F _numachine numachine ./numachine
