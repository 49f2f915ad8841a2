#!/bin/bash
# What bash completion offers. Usage: completion.sh PROGRAM HOME
program=$1
# shellcheck source=/dev/null
. "$2/cli/completion.bash"
failures=0

# expect WORD COMMAND...: completing the last word of the command offers WORD
expect() {
    local word=$1
    shift
    COMP_WORDS=("$program" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _numachine
    case " ${COMPREPLY[*]} " in
    *" $word "*) ;;
    *)
        echo "FAILED: $* offers '${COMPREPLY[*]}', not '$word'"
        failures=$((failures + 1))
        ;;
    esac
}

expect check c
expect NACK stat -g N
expect NACK,RING stat -g NACK,R
expect default run -e d
expect nacks,read_latency stat -e nacks,read_l
expect station-4 stat -m sta
expect bus.clock= stat -s bus.c
expect monitor.histogram.source= run -s monitor.h
expect registers list reg
expect stall_l2 profile --state stall_l
expect slept profile --state sl
expect line profile --by l
expect held locks --sort h

# Every command of the program is offered.
COMP_WORDS=("$program" "")
COMP_CWORD=1
_numachine
while read -r command; do
    case " ${COMPREPLY[*]} " in
    *" $command "*) ;;
    *)
        echo "FAILED: $command is not offered"
        failures=$((failures + 1))
        ;;
    esac
done < <("$program" --help | sed -n '/^Commands/,/^$/s/^  \([a-z]*\) .*/\1/p')
exit $((failures > 0))
