#!/bin/sh
# What the one command says and does where packages are missing, with a Debian that this file makes up; whose the
# directories are; and when it sets up again: after every change that a build could notice, and only then.
# Usage: setup.sh SCRIPT CURRENT
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/debian" "$scratch/dpkg"
touch "$scratch/dpkg/status"
current=$(readlink -f "$2")
export DPKG_ADMINDIR="$scratch/dpkg"
failures=0

# stub NAME COMMAND: a program that does that
stub() {
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}

failed() {
    echo "FAILED: $*"
    cat "$scratch/out"
    failures=$((failures + 1))
}

# A tree of one room, and a build that only counts.
tree=$scratch/tree
mkdir -p "$tree/room/deep" "$tree/configs" "$tree/experiments/include" "$tree/tests" "$tree/results"
cp "$1" "$tree/numachine" || exit 1
touch "$tree/meson.build" "$tree/meson_options.txt" "$tree/CITATION.cff" "$tree/room/meson.build" \
    "$tree/room/a.c" "$tree/room/deep/b.h" "$tree/configs/c.yaml" "$tree/results/r" \
    "$tree/experiments/template.yaml" "$tree/tests/meson.build"
touch -d 2001-01-01 "$scratch/old"
stub meson "mkdir -p '$tree/build/meson-private' '$tree/build/cli'
    touch '$tree/build/build.ninja' '$tree/build/meson-private/coredata.dat'"
stub ninja "echo >>'$scratch/looks'
    [ ! -e '$scratch/fails' ] || exit 1
    cp '$current' '$tree/build/cli/current'
    [ -x '$tree/build/cli/numachine' ] || printf '#!/bin/sh\necho runs\n' >'$tree/build/cli/numachine'
    chmod +x '$tree/build/cli/numachine'"

# The Debian is a directory of files: `has`, packages that apt's lists have; `here`, those that are installed;
# `fetched`, the lists that an update brings; `broken`, what apt-get says where it fails; `slow`, what the one command
# has to have said before apt-get goes on; `mute`, that apt-get itself says nothing; `tick`, that half a minute is over;
# `user`, a user's number.
# shellcheck disable=SC2016 # for the stubs to expand
{
    cd "$scratch/debian" || exit 1
    begin="cd '$scratch/debian'"
    stub dpkg-query "$begin"'; shift 3; for p in "$@"; do ! grep -qx "$p" here || echo "$p installed"; done'
    stub apt-cache "$begin"'; shift 2; for p in "$@"; do ! grep -qx "$p" has || printf "Package: %s\nSize: 2000000\nInstalled-Size: 3000\n" "$p"; done'
    stub id "$begin"'; cat user'
    stub sudo "$begin"'; [ ! -e no-password ] || { echo "sudo: a password is required"; exit 1; }; exec "$@"'
    # Half a minute is over when apt-get says so, not by a clock: a loaded machine would be late with all but the minutes.
    stub sleep "$begin"'; for _ in $(seq 1200); do [ ! -e tick ] || { rm -f tick; exit; }; /bin/sleep 0.05; done'
    stub apt-get "$begin"'
case $* in
indextargets*) [ ! -s has ] || echo lists; exit ;;
"-s install"*) shift 3; for p in "$@"; do echo "Inst $p (1)"; done; exit ;;
*\ update) what=update ;;
*\ install*) what=install ;;
esac
echo "$what" >>asked
[ -e mute ] || echo "fetches $what"
if [ -e "slow-$what" ]; then
    for _ in $(seq 300); do grep -q "$(cat "slow-$what")" ../out && break || { : >tick; /bin/sleep 0.1; }; done
    rm -f tick
fi
if [ -e "broken-$what" ]; then cat "broken-$what"; exit "$(cat "status-$what")"; fi
if [ $what = update ]; then
    [ ! -e fetched ] || cp fetched has
else
    shift 7
    for p in "$@"; do echo "$p" >>here; done
    touch "$DPKG_ADMINDIR/status"
fi'
}

# A new one, whose lists have all packages, of which none is installed.
debian() {
    rm -rf "${tree:?}/build" "$scratch/debian"
    mkdir "$scratch/debian"
    cd "$scratch/debian" || exit 1
    echo 0 >user
    : >here
    sed -n "/^[a-z]*_packages='/,/'/p" "$tree/numachine" | sed "s/^[a-z]*_packages=//; s/#.*//" | tr "' " '\n' |
        grep . >has
}

# How the command ends, after what other words: says STATUS WORDS [COMMAND...]
says() {
    wanted=$1 words=$2
    shift 2
    PATH=$scratch/bin:$PATH "${@:-$tree/numachine}" >"$scratch/out" 2>&1 </dev/null
    got=$?
    [ "$got" -eq "$wanted" ] || failed "status $got, wanted $wanted"
    also "$words"
}

also() {
    grep -qF -e "$1" "$scratch/out" || failed "wanted '$1'"
}

never() {
    ! grep -qF -e "$1" "$scratch/out" || failed "said '$1'"
}

# The machine on which all is well: packages are counted and installed; and then nothing is asked for.
by_hand='as root, run: apt-get update && apt-get install --no-install-recommends'
debian
says 0 'to install: 21 packages, 42 MB to fetch, 65 MB on the disk'
also runs
says 0 runs
never numachine:
[ "$(tr '\n' ' ' <asked)" = 'update install ' ] || failed "apt-get was asked for: $(cat asked)"
debian
echo '30 s: fetches update' >slow-update
echo '60 s: fetches install' >slow-install
says 0 'numachine: 30 s: fetches update'
also 'numachine: 60 s: fetches install'
debian
: >mute
echo '30 s: ' >slow-update
says 0 'numachine: 30 s: nothing was said yet'

# Nobody may install; as root, one can.
debian
echo 1000 >user
touch no-password
says 2 "no right to install (sudo: a password is required); $by_hand gcc libc6-dev"
debian
echo 1000 >user
mv "$scratch/bin/sudo" "$scratch/sudo"
if ! PATH=$scratch/bin:$PATH command -v sudo >"$scratch/out"; then
    says 2 "not root, and no sudo here; $by_hand gcc libc6-dev"
fi
mv "$scratch/sudo" "$scratch/bin/sudo"

# The network is down: without lists, with old lists that have all, with some that have not.
for user in 0 1000; do
    debian
    echo "$user" >user
    : >has
    echo "W: Failed to fetch http://deb.invalid/InRelease  Temporary failure resolving 'deb.invalid'
W: Some index files failed to download. They have been ignored, or old ones used instead." >broken-update
    echo 0 >status-update
    says 5 "the lists of packages could not be fetched (W: Failed to fetch http://deb.invalid/InRelease"
    never 'E: Unable to locate'
    debian
    echo "$user" >user
    echo "E: Failed to fetch http://deb.invalid/gcc.deb  Temporary failure resolving 'deb.invalid'
E: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?" >broken-install
    echo 100 >status-install
    says 5 'packages could not be fetched (E: Failed to fetch http://deb.invalid/gcc.deb'
done
debian
echo 'E: Release file for http://deb.invalid/ is expired' >broken-update
echo 100 >status-update
says 0 runs # a foreign archive's, perhaps
debian
echo 'E: gcc : Depends: gcc-12 but it is not installable' >broken-install
echo 100 >status-install
says 5 'E: gcc : Depends: gcc-12'
also 'these packages cannot be installed'

# A release that has no compilers for MIPS builds and runs; one that lacks more does not.
debian
sed -i /mips/d has
says 0 "has no gcc-mips-linux-gnu libc6-dev-mips-cross gcc-mips64-linux-gnuabi64 libc6-dev-mips64-cross (Debian 12 and 13 have)"
also runs
grep -qx ninja-build here || failed 'nothing was installed'
: >asked
touch "$tree/room/a.c"
says 0 'ready executables run'
[ ! -s asked ] || failed "apt-get was asked for: $(cat asked)"
debian
sed -i /^meson/d has
says 5 'has no meson (Debian 12 and 13 have)'
# Nor do compilers keep anyone from running who may not install them,
debian
grep -v mips has >here
echo 1000 >user
touch no-password
says 0 "$by_hand gcc-mips-linux-gnu libc6-dev-mips-cross"
also runs
# except from the tests.
says 2 'no right to install' "$tree/numachine" test
# Lists that are not there say nothing of what a release has.
debian
grep -v mips has >here
mv has fetched
: >has
says 0 'to install: 4 packages'

# At a terminal one is asked, but not by an automatic check.
answered() {
    status=$1 words=$2 answer=$3
    shift 3
    printf '%s\n' "$answer" |
        PATH=$scratch/bin:$PATH timeout 60 script -qec "env $* '$tree/numachine'" /dev/null >"$scratch/out" 2>&1
    got=$?
    [ "$got" -eq "$status" ] || failed "answered '$answer': status $got, wanted $status"
    also "$words"
}
if script -qec true /dev/null </dev/null >"$scratch/out" 2>&1; then
    debian
    answered 2 'not installed, as you wish' n CI=
    also 'packages, 42 MB to fetch, 65 MB on the disk'
    grep -qx install asked && failed 'installed after a no'
    answered 0 runs '' CI=
    also 'install them? [Y/n]'
    debian
    answered 0 runs n CI=true
    never 'install them?'
else
    echo 'skipped: no pseudo-terminals'
fi

# Whose build/ is. Root's in a user's directory is the user's; what is root's a user cannot replace.
debian
cp has here
says 0 runs
if [ "$(/usr/bin/id -u)" -eq 0 ]; then
    as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
    chmod 755 "$scratch"
    echo 65534 >user
    touch "$tree/room/a.c"
    # shellcheck disable=SC2086 # words
    says 5 "$tree/build belongs to root (user 0), and you cannot replace it. As root, run: chown -R 65534 '$tree/build'" \
        $as_nobody "$tree/numachine"
    never 'cannot create'
    rm -r "$tree/build"
    # shellcheck disable=SC2086
    says 5 "$tree belongs to root (user 0): build in a copy of it that is yours" $as_nobody "$tree/numachine"
    chown -R 65534 "$tree" "$scratch/debian"
    echo 0 >user
    says 0 runs
    echo 65534 >user
    touch "$tree/room/a.c"
    # shellcheck disable=SC2086
    says 0 runs $as_nobody "$tree/numachine"
    chown root "$tree/build/build.ninja"
    chmod 644 "$tree/build/build.ninja"
    touch "$tree/room/a.c"
    # shellcheck disable=SC2086
    says 5 "build.ninja belongs to root (user 0)" $as_nobody "$tree/numachine"
    chown -R root "$tree"
else
    echo 'skipped: whose directories are, which root can try'
fi

# Set-up looks again after every change, and only then.
debian
cp has here

# sets_up WHETHER WHAT [COMMAND...]: whether set-up has a look after that
sets_up() {
    wanted=$1 what=$2
    shift 2
    /bin/sleep 0.02 # a clock of the file system may tick at 100 Hz
    "$@"
    : >"$scratch/looks"
    PATH=$scratch/bin:$PATH "${command:-$tree/numachine}" >"$scratch/out" 2>&1 </dev/null
    got=$(grep -c '' "$scratch/looks")
    [ "$got" -eq "$wanted" ] || failed "$what: $got looks, wanted $wanted"
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

# Where a warning is an error, all is built beside; what was skipped is named, and what would cure that.
stub meson "echo \"\$*\" >>'$scratch/asked'; echo 'tree:quick / room'
    mkdir -p '$tree/build-werror/meson-logs'
    printf '%s\n' 'test:         tree:quick / chart' 'skipped: no gnuplot (Debian: gnuplot-nox)' 'Ok:  1' 'Skipped:  1' \
        >'$tree/build-werror/meson-logs/testlog.txt'"
grep -v g++-mips-linux-gnu "$scratch/debian/has" >"$scratch/debian/fewer"
mv "$scratch/debian/fewer" "$scratch/debian/has"
cp "$scratch/debian/has" "$scratch/debian/here"
says 0 '1 passed, 0 failed, 1 skipped' "$tree/numachine" test --werror room
also 'skipped: no gnuplot (Debian: gnuplot-nox): chart'
also 'skipped: all that needs packages that are missing: g++-mips-linux-gnu'
for asked in "setup --buildtype=release --werror $tree/build-werror $tree" "test -C $tree/build-werror .* room"; do
    grep -qx -e "$asked" "$scratch/asked" || failed "meson was not asked for '$asked': $(cat "$scratch/asked")"
done

# Whoever skips says so in the words that are repeated.
grep -nE '(exit\(|return |= )77\b' "$(dirname "$1")"/tests/*.py "$(dirname "$1")"/tests/fuzz/*.py >"$scratch/own"
! grep -v '/skip.py:' "$scratch/own" >"$scratch/out" || failed 'these end as skipped without tests/skip.py'
exit $((failures > 0))
