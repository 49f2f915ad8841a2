#!/bin/sh
# numachine topology: every format of every shipped machine, and the pictures in docs/ are what it draws.
# Usage: topology.sh PROGRAM SOURCE
program=$1 home=$2
failures=0
drawn=$(mktemp -d) || exit
trap 'rm -rf "$drawn"' EXIT

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# count MACHINE FORMAT PATTERN NUMBER: so many lines match
count() {
    got=$("$program" topology "$1" --format="$2" | grep -c -e "$3")
    [ "$got" = "$4" ] || fail "topology $1 --format=$2: $got lines with '$3', wanted $4"
}

for machine in "$home"/configs/*.yaml; do
    name=$(basename "$machine" .yaml)
    "$program" topology "$name" >/dev/null || fail "topology $name"
    for format in svg simgrid; do
        "$program" topology "$name" --format=$format >"$drawn/$name.$format" || fail "topology $name --format=$format"
    done
done
python3 -c 'import sys, xml.dom.minidom; [xml.dom.minidom.parse(file) for file in sys.argv[1:]]' "$drawn"/* ||
    fail "a picture or a platform is not XML"
count numachine-64 text 'station [0-9]*: processors' 16
count numachine-64 text 'local ring' 4
count numachine-64 svg '>station [0-9]*<' 16
count numachine-1024 text 'station [0-9]*: processors' 256
count numachine-1024 text 'upper ring' 8
# links of a graph: nodes of all rings
count numachine-64 dot ' -> ' $((4 * 5 + 4))
count numachine-1024 dot ' -> ' $((64 * 5 + 8 * 9 + 8))
count ring-16 dot ' -> ' 4
count station-4 dot ' -> ' 0

# a platform: hosts of cards, memories and network cards; a link for each bus, each segment, each end
count numachine-64 simgrid '<host ' $((64 + 2 * 16))
count numachine-64 simgrid '<link ' $((16 + 4 * 5 + 4 + 2 * 16 + 2 * 4))
count numachine-64 simgrid '<zoneRoute ' $((4 * 5 * 4 + 4 * 3))
count numachine-1024 simgrid '<zoneRoute ' $((64 * 5 * 4 + 8 * 9 * 8 + 8 * 7))
count station-4 simgrid '<zoneRoute ' 0

# cards of several kinds: which core each has, in the picture as in the text
mixed='cards=[{at: [1, station 3], base: r10000}, {at: [4], base: r10000, processor: {core: r12000}}]'
for core in 'r4400 10' 'r10000 5' 'r12000 1'; do
    name=${core% *} number=${core#* }
    got=$("$program" topology ring-16 --set "$mixed" --set l2.line=128B --set processor.clock=200MHz --format=svg | grep -c "data-core=\"$name\"")
    [ "$got" = "$number" ] || fail "$got cards of a mixture are drawn as $name, wanted $number"
done
[ "$("$program" topology numachine-64 --format=svg | grep -c data-core)" = 0 ] || fail "a machine of one kind names it"

for picture in "$home"/docs/numachine-*.svg; do
    "$program" topology "$(basename "$picture" .svg)" --format=svg | cmp - "$picture" ||
        fail "$picture is not what numachine topology draws"
done

"$program" topology - --format=svg <"$home/configs/numachine-64.yaml" |
    python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.stdin)' ||
    fail "the picture of a machine without a name is not XML"
"$program" topology no-such-machine >/dev/null 2>&1 && fail "a machine that does not exist"
"$program" topology --format=png >/dev/null 2>&1
[ $? = 2 ] || fail "a format that does not exist"
exit $((failures > 0))
