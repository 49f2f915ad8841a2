# Completion for bash: source this file. Everything offered comes from the program itself: commands and options from its
# --help, names from 'numachine list', formats and columns from what it says of a wrong one. So a new option is completed
# without a word here, unless its value is of a new kind (_numachine_value).

_numachine_names() # PROGRAM [WHAT]: the first column of a listing
{
    "$1" list "${@:2}" 2>/dev/null | awk '{ print $1 }'
}

_numachine_help() # PROGRAM [COMMAND]: --help, a line for each option
{
    ARGP_HELP_FMT=rmargin=10000 "$@" --help 2>/dev/null
}

_numachine_commands() # PROGRAM
{
    _numachine_help "$1" | sed -n '/^Commands/,/^$/s/^  \([a-z0-9]*\) .*/\1/p'
}

_numachine_options() # PROGRAM [COMMAND]: --name, and --name= where it takes a value
{
    _numachine_help "$@" | sed -nE 's/^  (-., |    )(--[a-z0-9-]+)(\[?=)?.*/\2\3/p' | tr -d '['
}

_numachine_takes() # OPTION PROGRAM COMMAND: "--name VALUE" if the option, -x or --name, takes a value in a word of its own
{
    _numachine_help "$2" "$3" | sed -nE -e 's/^  (-.), (--[a-z0-9-]+)=([^ ]+).*/\1 \2 \3/p' \
        -e 's/^      (--[a-z0-9-]+)=([^ ]+).*/- \1 \2/p' | awk -v o="$1" '$1 == o || $2 == o { print $2, $3 }'
}

_numachine_choices() # PROGRAM KEY: the words that a key of the machine may have
{
    "$1" list params "$2" --json 2>/dev/null | awk -v key="\"$2\"," '
        $1 == "\"key\":" { mine = $2 == key }
        /\]/ { open = 0 }
        open && mine { gsub(/[",]/, "", $1); print $1 }
        /"choices": \[/ { open = 1 }'
}

# Not compgen -W: it expands the names, and a name may be that of a file, which may be a command.
_numachine_offer() # WORD NAMES [SUFFIX]: those of NAMES that begin with WORD, behind what stands in front of it
{
    local name names
    read -r -d '' -a names <<<"$2"
    for name in "${names[@]}"; do
        if [[ $name == "$1"* ]]; then
            COMPREPLY+=("$front$name${3-}")
        fi
    done
}

_numachine_files() # WORD -f|-d: the same, of files or directories
{
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$front" "$2" -- "$1")
    compopt -o filenames 2>/dev/null
}

_numachine_last() # WORD NAMES: WORD is a list with commas, and the last of it is completed
{
    local front=$front${1%"${1##*,}"}
    _numachine_offer "${1##*,}" "$2"
}

_numachine_set() # WORD: KEY=VALUE
{
    case $1 in
    machine=*) front=$front"machine=" _numachine_offer "${1#*=}" "$(_numachine_names "$program" machines)" ;;
    *=*) front=$front${1%%=*}= _numachine_offer "${1#*=}" "$(_numachine_choices "$program" "${1%%=*}")" ;;
    *)
        _numachine_offer "$1" "$(_numachine_names "$program" keys) $(_numachine_names "$program" params)" =
        compopt -o nospace 2>/dev/null
        ;;
    esac
}

_numachine_points() # the points of the sweep that the line names
{
    local other
    for other in "${words[@]:2}"; do
        case $other in
        -*) ;;
        *) "$program" points "$other" 2>/dev/null | awk '{ print $1 }' ;;
        esac
    done
}

_numachine_value() # OPTION VALUE WORD: what VALUE stands for in --help says what to offer
{
    case $2 in
    EVENTS) _numachine_last "$3" "$(_numachine_names "$program" events) $(_numachine_names "$program" sets)" ;;
    GROUPS) _numachine_last "$3" "$(_numachine_names "$program" groups)" ;;
    KEY=VALUE) _numachine_set "$3" ;;
    ID) _numachine_offer "$3" "$(_numachine_points)" ;;
    STATE)
        _numachine_offer "$3" "total run stall stall/cache stall/mp killslip primary secondary mp slept other
            $(_numachine_names "$program" states) $(_numachine_names "$program" columns)"
        ;;
    FORMAT | WHAT | UNIT | COLUMN)
        _numachine_offer "$3" "$("$program" ${command:+"$command"} "$1=?" 2>&1 | sed -n 's/, / /g; s/ and / /g; s/.*; there are //p')"
        ;;
    DIR) _numachine_files "$3" -d ;;
    FILE)
        _numachine_files "$3" -f
        if [ "$1" = --machine ]; then
            _numachine_offer "$3" "$(_numachine_names "$program" machines)"
        fi
        ;;
    PATH*) _numachine_files "$3" -f ;;
    esac
}

_numachine_argument() # WORD: what is no option
{
    case $command in
    run | points)
        _numachine_files "$1" -f
        _numachine_offer "$1" "$(_numachine_names "$program" experiments)"
        ;;
    check)
        _numachine_files "$1" -f
        _numachine_offer "$1" "$(_numachine_names "$program" experiments) $(_numachine_names "$program" machines)"
        ;;
    topology | latency)
        _numachine_files "$1" -f
        _numachine_offer "$1" "$(_numachine_names "$program" machines)"
        ;;
    profile | c2c | placement | locks | report | diff | compare | collect) _numachine_files "$1" -d ;;
    list) _numachine_offer "$1" "$(_numachine_names "$program")" ;;
    protocol) _numachine_offer "$1" "$(_numachine_names "$program" protocols)" ;;
    trace)
        _numachine_files "$1" -f
        if [ "${#words[@]}" -eq 3 ]; then
            _numachine_offer "$1" "convert info cut"
        fi
        ;;
    detect)
        _numachine_files "$1" -f
        _numachine_offer "$1" "$(_numachine_names "$program" detectors)"
        ;;
    *) _numachine_files "$1" -f ;;
    esac
}

# bash takes '=' and ':' for words of their own; here they are parts of words again. Fills words; cut is what bash takes
# for another word in front of the last one.
_numachine_words()
{
    local i glued=no word
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $word =~ ^[=:]+$ && $i -gt 1 ]]; then
            words[-1]+=$word
            glued=yes
        elif [[ $glued == yes && -n $word ]]; then
            words[-1]+=$word
            glued=no
        else
            words+=("$word")
            glued=no
        fi
    done
    cut=${words[-1]}
    if [[ ! ${COMP_WORDS[COMP_CWORD]} =~ ^[=:]+$ ]]; then
        cut=${cut%"${COMP_WORDS[COMP_CWORD]}"}
    fi
}

_numachine()
{
    local words cut front='' takes i
    _numachine_words
    local program=${words[0]} command=${words[1]} word=${words[-1]} last=${words[-2]}
    COMPREPLY=()
    if [ "${#words[@]}" -le 2 ]; then
        command=
    fi
    case $word in
    --*=*)
        takes=
        if [[ ${word%%=*} =~ ^--[a-z0-9-]+$ ]]; then # nothing that sed would do
            takes=$(_numachine_help "$program" ${command:+"$command"} |
                sed -nE "s/^  (-., |    )${word%%=*}\[?=([^] ]+).*/\2/p")
        fi
        front=${word%%=*}= _numachine_value "${word%%=*}" "$takes" "${word#*=}"
        ;;
    *)
        takes=
        if [[ $last == -* && ${#words[@]} -gt 3 ]]; then
            takes=$(_numachine_takes "$last" "$program" "$command")
        fi
        if [ "${#words[@]}" -le 2 ]; then
            _numachine_offer "$word" "$(_numachine_commands "$program") $(_numachine_options "$program")"
        elif [ -n "$takes" ]; then
            # shellcheck disable=SC2086 # two words
            _numachine_value $takes "$word"
        elif [[ $word == -* ]]; then
            _numachine_offer "$word" "$(_numachine_options "$program" "$command")"
            if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
                compopt -o nospace 2>/dev/null
            fi
        else
            _numachine_argument "$word"
        fi
        ;;
    esac
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$cut"}
    done
}

complete -F _numachine numachine ./numachine
