# Completion for bash: source this file. Everything offered comes from the program itself: commands, options, their choices
# and what arguments are called from its --help, names from 'numachine list'. So a new command or option is completed
# without a word here, unless what it takes is of a new kind (_numachine_value).

_numachine_names() # PROGRAM [WHAT]: the first column of a listing
{
    "$1" list "${@:2}" 2>/dev/null | awk '{ print $1 }'
}

_numachine_help() # PROGRAM [COMMAND]: --help, a line for each option
{
    ARGP_HELP_FMT=rmargin=10000 "$@" --help 2>/dev/null
}

_numachine_options() # --name, and --name= where it takes a value
{
    sed -nE 's/^  (-., |    )(--[a-z0-9-]+)(\[?=)?.*/\2\3/p' <<<"$help" | tr -d '['
}

_numachine_takes() # OPTION: what stands for the value that the option, -x or --name, takes; NAME[=VALUE] takes it behind '=' alone
{
    sed -nE -e 's/^  (-.), (--[a-z0-9-]+)(\[?=)([^] ]+(\[[^] ]*\])?[^] ]*).*/\1 \2 \3 \4/p' \
        -e 's/^      (--[a-z0-9-]+)(\[?=)([^] ]+(\[[^] ]*\])?[^] ]*).*/- \1 \2 \3/p' <<<"$help" |
        awk -v o="$1" -v glued="${2-}" '($1 == o || $2 == o) && ($3 == "=" || glued) { print $4 }'
}

_numachine_arguments() # what the usage says beside options, without brackets
{
    sed -nE '1 { s/.*\[OPTION\.\.\.\] //; s/\[--\]|\.\.\.|[][]//g; p }' <<<"$help"
}

_numachine_choices() # PROGRAM KEY: the words that a key of the machine may have
{
    "$1" list params "$2" --format=json 2>/dev/null | awk -v key="\"$2\"," '
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

_numachine_value() # VALUE WORD [OPTION]: what an option's value or an argument is called in --help says what to offer
{
    case $1 in
    EVENTS) _numachine_last "$2" "$(_numachine_names "$program" events) $(_numachine_names "$program" sets)" ;;
    GROUPS) _numachine_last "$2" "$(_numachine_names "$program" groups)" ;;
    KEY=VALUE) _numachine_set "$2" ;;
    ID) _numachine_offer "$2" "$(_numachine_points)" ;;
    STATE)
        _numachine_offer "$2" "total run stall stall/cache stall/mp killslip primary secondary mp slept other
            $(_numachine_names "$program" states) $(_numachine_names "$program" columns)"
        ;;
    COLUMN) _numachine_offer "$2" "$("$program" "$command" "$3=?" . 2>&1 | sed -n 's/, / /g; s/.*; there are //p')" ;;
    WHAT) _numachine_offer "$2" "$(_numachine_names "$program")" ;;
    PROTOCOL) _numachine_offer "$2" "$(_numachine_names "$program" protocols)" ;;
    *[a-z]'|'[a-z]*) _numachine_offer "$2" "${1//|/ }" ;;
    DIR | RUN_DIR) _numachine_files "$2" -d ;;
    DETECTORS)
        _numachine_files "$2" -f
        _numachine_last "$2" "$(_numachine_names "$program" detectors)"
        ;;
    MACHINE | EXPERIMENT)
        _numachine_files "$2" -f
        _numachine_offer "$2" "$(_numachine_names "$program" "${1,,}s")"
        ;;
    FILE)
        _numachine_files "$2" -f
        if [ -z "${3-}" ]; then
            _numachine_offer "$2" "$(_numachine_names "$program" experiments) $(_numachine_names "$program" machines)"
        fi
        ;;
    FILE* | PATH* | IN | OUT | PROGRAM* | ARGUMENT) _numachine_files "$2" -f ;;
    esac
}

_numachine_argument() # WORD: no option, but which argument it is tells how many stand in front of it; the last may be repeated
{
    local arguments i place=0
    read -r -a arguments <<<"$(_numachine_arguments)"
    for ((i = 2; i < ${#words[@]} - 1; i++)); do
        if [[ ${words[i]} != -* ]]; then
            place=$((place + 1))
        elif [[ ${words[i]} != *=* && -n $(_numachine_takes "${words[i]}") ]]; then
            i=$((i + 1))
        fi
    done
    if [ "$place" -ge "${#arguments[@]}" ]; then
        place=$((${#arguments[@]} - 1))
    fi
    _numachine_value "${arguments[place]-}" "$1"
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
    local words cut help front='' takes i
    _numachine_words
    local program=${words[0]} command=${words[1]} word=${words[-1]} last=${words[-2]}
    COMPREPLY=()
    if [ "${#words[@]}" -le 2 ]; then
        command=
    fi
    help=$(_numachine_help "$program" ${command:+"$command"})
    takes=
    if [[ $last == -* && $last != *=* && ${#words[@]} -gt 3 ]]; then
        takes=$(_numachine_takes "$last")
    fi
    if [[ $word == --*=* ]]; then
        front=${word%%=*}= _numachine_value "$(_numachine_takes "${word%%=*}" glued)" "${word#*=}" "${word%%=*}"
    elif [ -z "$command" ]; then
        _numachine_offer "$word" "$(sed -n '/^Commands/,/^$/s/^  \([a-z0-9]*\) .*/\1/p' <<<"$help") $(_numachine_options)"
    elif [ -n "$takes" ]; then
        _numachine_value "$takes" "$word" "$last"
    elif [[ $word == -* ]]; then
        _numachine_offer "$word" "$(_numachine_options)"
        if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then
            compopt -o nospace 2>/dev/null
        fi
    else
        _numachine_argument "$word"
    fi
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"$cut"}
    done
}

complete -F _numachine numachine ./numachine
