#!/bin/sh
# What the one command says where packages are missing and cannot be installed. Usage: setup.sh SCRIPT
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
exit $((failures > 0))
