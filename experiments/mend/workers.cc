/*
 * Objects of a class with virtual functions, made one after the other by new: their blocks share
 * lines.
 */
#include "../false-sharing-lab/first/lab.h"

enum { ROUNDS = 400 };

class LAB_APART Worker
{
  public:
    virtual ~Worker() = default;
    virtual void step(unsigned i)
    {
        done_ = done_ + 1;
        sum_ = sum_ + i;
    }
    unsigned done() const
    {
        return done_;
    }

  private:
    volatile unsigned done_ = 0, sum_ = 0;
};

static struct {
    Worker *worker;
} LAB_ALIGNED workers[LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        workers[me].worker->step(i);
        lab_think(30);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    for (unsigned t = 0; t < threads; t++)
        workers[t].worker = new Worker;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= workers[t].worker->done() == ROUNDS;
    return lab_end(good);
}
