#!/bin/sh
# Exit statuses and words of list, check and init. Usage: input_cli.sh PROGRAM
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# expect STATUS WORDS COMMAND...: the command's status, and words somewhere in its output
expect() {
    status=$1 words=$2
    shift 2
    "$@" >out 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$status" ] || ! grep -qF -e "$words" out; then
        echo "FAILED: $* (status $got, wanted $status and '$words')"
        cat out
        failures=$((failures + 1))
    fi
}

expect 0 "Exit status:" "$program" --help
expect 0 "numachine " "$program" --version
expect 2 "Usage:" "$program"
expect 2 "run a program and show what the monitoring cards count" "$program"
expect 2 "did you mean 'list'" "$program" lst
expect 2 "unrecognized option" "$program" --nonsense
expect 0 "machines" "$program" list
expect 0 "bus.clock" "$program" list params clock
expect 0 "bus.clock" "$program" list params 'bus.*'
expect 0 '"key": "bus.clock"' "$program" list params bus.clock --json
expect 0 "station-4" "$program" list machines
expect 0 "program.path" "$program" list keys
expect 0 "nacks" "$program" list events nack
expect 2 "nothing matches" "$program" list params no-such-thing
expect 2 "did you mean 'events'" "$program" list event
expect 2 "one PATTERN" "$program" list events a b
expect 0 "NACK " "$program" list groups
expect 0 "= nacks / requests_nacked" "$program" list groups nack
expect 0 "keeps it locked" "$program" list groups NACK
expect 0 '"formula"' "$program" list groups NACK --json
expect 2 "exclude each other" "$program" list words --json --markdown
expect 0 "pcycles" "$program" list words
expect 2 "did you mean 'NACK'" "$program" stat -g NAK -- ./prog
expect 2 "cannot read" "$program" stat -g ./gone.yaml -- ./prog
expect 2 "which FILE" "$program" check
expect 2 "No such file" "$program" check gone.yaml
expect 2 "<stdin>:1:1" "$program" check -
expect 0 "machine     station-4: 4 processors" "$program" check station-4
expect 0 "from configs/station-4.yaml:" "$program" check station-4
expect 0 "experiment  first-light: " "$program" check first-light
expect 2 "did you mean 'station-4'" "$program" check station4
expect 2 "did you mean 'ring-busy'" "$program" run ring-bussy
expect 2 "no machine or experiment of this name (" "$program" check zzzzzzzzzz
expect 2 "to run it: numachine stat" "$program" check /bin/sh
for asked in "list machines" "list schema" "check station-4" "run first-light" "init new.yaml" bench topology; do
    expect 2 "NUMACHINE_HOME: '/no/such': No such file or directory; unset" \
        env NUMACHINE_HOME=/no/such "$program" $asked
    expect 2 "NUMACHINE_HOME: '$scratch/configs': No such file or directory; unset" \
        env NUMACHINE_HOME="$scratch" "$program" $asked
done
expect 2 "NUMACHINE_HOME: '/bin/sh': Not a directory" env NUMACHINE_HOME=/bin/sh "$program" list machines
expect 0 "station-4" env NUMACHINE_HOME= "$program" list machines
expect 0 "Commands" env NUMACHINE_HOME=/no/such "$program" --help
printf 'bus: {fifo: 7}\n' >station-4
expect 0 "bus.fifo: 7" "$program" check station-4
rm station-4
for machine in $("$program" list machines --json | sed -n 's/.*"name": "\([^"]*\)".*/\1/p'); do
    expect 2 "this is a machine, not an experiment: numachine stat -m $machine" "$program" run "$machine"
done
ln -s victim mine.yaml.new
expect 5 "cannot write 'mine.yaml.new'" "$program" init mine.yaml
rm mine.yaml.new mine.c
expect 0 "wrote mine.c and mine.yaml" "$program" init mine.yaml
expect 2 "not overwritten" "$program" init mine.yaml
expect 2 "must end in .yaml" "$program" init mine
expect 5 "cannot write" "$program" init no/such/directory/x.yaml
expect 0 "mine.c, to be built for o32" "$program" check mine.yaml
expect 0 "seed 7" "$program" check mine.yaml --set run.seed=7
expect 2 "--set run.sed=7" "$program" check mine.yaml --set run.sed=7
expect 0 "# --set" "$program" check mine.yaml --all --set bus.fifo=3
expect 2 "did you mean 'run.limit'" "$program" check mine.yaml --set program.limit=3
printf 'program: {source: mine.c, files: [data]}\n' >bad.yaml
expect 2 "'files' stands at the top of the file, not in 'program:'" "$program" check bad.yaml
printf 'machine: {base: station-4, os: {tick: 0}, agent: {link_hold: 0}}\nprogram: {source: mine.c}\n' >zero.yaml
expect 0 "mine.c" "$program" check zero.yaml
expect 2 "/tmp: is a directory, not a program" "$program" stat -- /tmp
expect 2 "numachine run runs experiments" "$program" stat -- ./mine.yaml
expect 2 "compile it with mips-linux-gnu-gcc" "$program" stat -- ./mine.c
printf 'machine: station-4\nprogram: {source: mine.c}\nrecord: {waves: true, signals: [status], cards: [0, 3], from: 0us, to: 9cy}\n' >pins.yaml
expect 0 "recorded    waves, from the beginning to 9cy" "$program" check pins.yaml
expect 0 "  of cards  0 3" "$program" check pins.yaml
mkdir barrier
expect 0 "experiment  barrier" "$program" check barrier
expect 2 "directory" "$program" check ./barrier
mkdir zzz
expect 2 "directory" "$program" check zzz
rmdir barrier zzz
printf 'bus: {clock: 50}\n' >bad.yaml
expect 2 "bad.yaml:1:14: error: 'bus.clock': 50 needs a unit" "$program" check bad.yaml
expect 0 "called    me" "$program" check mine.yaml --set program.name=me
"$program" check mine.yaml --all >resolved.yaml
"$program" check resolved.yaml --all | sed 's/ *#.*//' >again
sed 's/ *#.*//' resolved.yaml | cmp -s - again || {
    echo "FAILED: the resolved experiment reads back differently"
    failures=$((failures + 1))
}
exit $((failures > 0))
