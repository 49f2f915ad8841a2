/*
 * std::shared_ptr: each thread copies its own, over and over, which counts in the block behind it;
 * the blocks were made one after the other.
 */
#include "../false-sharing-lab/first/lab.h"

#include <memory>

enum { ROUNDS = 250 };

struct LAB_APART Config {
    unsigned limit;
};

static struct {
    std::shared_ptr<Config> config;
} LAB_ALIGNED own[LAB_THREADS_MAX];
static volatile unsigned seen[LAB_THREADS_MAX][LAB_LINE / sizeof(unsigned)] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const std::shared_ptr<Config> mine = own[me].config;
        seen[me][0] = seen[me][0] + mine->limit;
        lab_think(40);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    for (unsigned t = 0; t < threads; t++) {
        own[t].config = std::make_shared<Config>();
        own[t].config->limit = 1;
    }
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= seen[t][0] == ROUNDS;
    return lab_end(good);
}
