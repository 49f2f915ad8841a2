#!/usr/bin/env -S python3 -S
"""
Functions of C++ in the names of blocks: without their arguments, also of templates, where that tells the places apart, and in full
where two instances of a template get blocks at one line. Commands that take such a name take it in both ways.

    brief_names.py NUMACHINE
"""
import pathlib
import subprocess
import sys
import tempfile

import skip

SOURCE = """#include <pthread.h>
#include <vector>
typedef volatile int *row;
template<typename T, int N> struct Pool {
    static T *get(std::vector<T> const &) { return new T[N]; } /* pool */
};
template<typename T> T *twice(T)
{
    return new T[8]; /* twice */
}
static row pair, first, second;
static void *work(void *p)
{
    const long me = (long)p;
    for (int i = 0; i < 3000; i++) pair[me]++, first[me]++, second[me]++;
    return 0;
}
int main()
{
    pthread_t t[2];
    pair = (row)Pool<int, 16>::get(std::vector<int>());
    first = (row)twice(1);
    second = (row)twice(1u);
    row *all[] = {&pair, &first, &second};
    asm volatile("" : : "r"(all) : "memory");
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
"""


def line_of(mark):
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if f"/* {mark} */" in line)


def main():
    numachine = sys.argv[1]
    skip.need("g++-mips-linux-gnu", "mips-linux-gnu-g++")
    with tempfile.TemporaryDirectory() as scratch:
        source, program, directory = (pathlib.Path(scratch, name) for name in ("pool.cc", "pool", "run"))
        source.write_text(SOURCE)
        subprocess.run(["mips-linux-gnu-g++", "-O1", "-fno-inline", "-g", "-static", "-pthread", source, "-o", program], check=True)
        subprocess.run([numachine, "stat", "-q", "--truth", "-m", "station-4", "-o", directory, "--", program], check=True,
                       capture_output=True, timeout=600)

        def ask(*words):
            return subprocess.run([numachine, "c2c", directory, *words], check=True, capture_output=True, text=True, timeout=600).stdout

        text = ask("--lines=0")
        brief = f"heap 64 bytes by Pool::get at pool.cc:{line_of('pool')}"
        whole = f"heap 64 bytes by Pool<int, 16>::get(std::vector<int, std::allocator<int> > const&) at pool.cc:{line_of('pool')}"
        assert brief in text and "vector" not in text, text
        for kind in "int", "unsigned int":
            assert f"twice<{kind}>({kind}) at pool.cc:{line_of('twice')}" in text, text
        said = ask(f"--what-if={brief}", "--unit=words")
        assert "each word" in said and said.replace(brief, "") == ask(f"--what-if={whole}", "--unit=words").replace(whole, ""), said
    return 0


if __name__ == "__main__":
    sys.exit(main())
