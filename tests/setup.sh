#!/bin/sh
# What the one command says where packages are missing and cannot be installed; and when it sets up again: after
# every change that a build could notice, and only then. Usage: setup.sh SCRIPT CURRENT
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
cp "$1" "$scratch/numachine" || exit 1
failures=0

# stub NAME COMMAND: a program that does that
stub() {
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

# expect STATUS WORDS
expect() {
    PATH=$scratch/bin:$PATH "$scratch/numachine" list >"$scratch/out" 2>&1 </dev/null
    got=$?
    if [ "$got" -ne "$1" ] || ! grep -qF -e "$2" "$scratch/out"; then
        echo "FAILED: status $got, wanted $1 and '$2'"
        cat "$scratch/out"
        failures=$((failures + 1))
    fi
}

stub dpkg-query 'exit 1' # has none of them
stub id 'echo 1000'
stub sudo 'echo a password is required >&2; exit 1'
expect 2 "no right to install; as root, run: apt-get install"
stub sudo 'exit 100' # apt-get's status
expect 5 "these packages cannot be installed: gcc"

# A tree of one room, and a build that only counts. All packages are there.
tree=$scratch/tree
mkdir -p "$tree/room/deep" "$tree/configs" "$tree/experiments/include" "$tree/tests" "$scratch/dpkg" "$tree/results"
cp "$1" "$tree/numachine"
touch "$tree/meson.build" "$tree/meson_options.txt" "$tree/CITATION.cff" "$tree/room/meson.build" \
    "$tree/room/a.c" "$tree/room/deep/b.h" "$tree/configs/c.yaml" "$scratch/dpkg/status" "$tree/results/r" \
    "$tree/experiments/template.yaml" "$tree/tests/meson.build"
touch -d 2001-01-01 "$scratch/old"
# shellcheck disable=SC2016 # for the stub to expand
stub dpkg-query 'shift 3; for p in "$@"; do echo "$p installed"; done'
stub meson "mkdir -p '$tree/build/meson-private' '$tree/build/cli'
    touch '$tree/build/build.ninja' '$tree/build/meson-private/coredata.dat'"
stub ninja "echo >>'$scratch/looks'
    [ ! -e '$scratch/fails' ] || exit 1
    cp '$2' '$tree/build/cli/current'
    [ -x '$tree/build/cli/numachine' ] || printf '#!/bin/sh\n' >'$tree/build/cli/numachine'
    chmod +x '$tree/build/cli/numachine'"

# sets_up WHETHER WHAT [COMMAND...]: whether set-up has a look after that
sets_up() {
    wanted=$1 what=$2
    shift 2
    sleep 0.02 # a clock of the file system may tick at 100 Hz
    "$@"
    : >"$scratch/looks"
    DPKG_ADMINDIR=$scratch/dpkg PATH=$scratch/bin:$PATH "${command:-$tree/numachine}" >"$scratch/out" 2>&1 </dev/null
    got=$(grep -c '' "$scratch/looks")
    if [ "$got" -ne "$wanted" ]; then
        echo "FAILED: $what: $got looks, wanted $wanted"
        cat "$scratch/out"
        failures=$((failures + 1))
    fi
}

sets_up 1 "a fresh tree" true
sets_up 0 "nothing" true
sets_up 0 "a result" touch "$tree/results/s" "$tree/note"
sets_up 0 "a test" touch "$tree/tests/t.c" "$tree/tests/meson.build"
sets_up 1 "the template" touch "$tree/experiments/template.yaml"
sets_up 1 "a file written" touch "$tree/room/deep/b.h"
sets_up 1 "an older file over one" cp -p "$scratch/old" "$tree/room/a.c"
sets_up 1 "a time set back" touch -d 2001-01-01 "$tree/configs/c.yaml"
sets_up 1 "a file added" cp -p "$scratch/old" "$tree/room/new.h"
sets_up 1 "a file renamed" mv "$tree/room/new.h" "$tree/room/other.h"
sets_up 1 "a file removed" rm "$tree/room/other.h"
sets_up 1 "the build's description" touch "$tree/meson.build"
sets_up 1 "packages" touch "$scratch/dpkg/status"
sets_up 1 "the program removed" rm "$tree/build/cli/numachine"
sets_up 1 "the program touched" touch "$tree/build/cli/numachine"
sets_up 1 "another configuration" touch "$tree/build/build.ninja"
touch "$scratch/fails"
sets_up 1 "a build that fails" touch "$tree/room/a.c"
sets_up 1 "and fails again" true
rm "$scratch/fails"
sets_up 1 "and is mended" true
sets_up 0 "nothing again" true
ln -s "$tree/numachine" "$scratch/link"
command=$scratch/link
sets_up 0 "through a link" true
command=
mv "$tree/room" "$tree/moved"
sets_up 1 "a room that is gone" true
mv "$tree/moved" "$tree/room"
sets_up 1 "and is back" true
cp -a "$tree" "$scratch/copy"
touch "$scratch/copy/room/a.c"
command=$scratch/copy/numachine
sets_up 1 "a copy of all of it" true

# Where a warning is an error, all is built beside.
stub meson "echo \"\$*\" >>'$scratch/asked'; echo 'tree:quick / room'"
PATH=$scratch/bin:$PATH "$tree/numachine" test --werror room >"$scratch/out" 2>&1 </dev/null
for asked in "setup --buildtype=release --werror $tree/build-werror $tree" "test -C $tree/build-werror .* room"; do
    if ! grep -qx -e "$asked" "$scratch/asked"; then
        echo "FAILED: meson was not asked for '$asked'"
        cat "$scratch/asked" "$scratch/out"
        failures=$((failures + 1))
    fi
done
exit $((failures > 0))
