/*
 * What pointers of C++ and of its library lead to, for tests/leads.py: as leads_guest.c.
 */
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

static void says(const volatile void *at, const char *name)
{
    std::printf("%lx %s\n", (unsigned long)at, name);
}

struct Stats {
    unsigned hits, misses;
    double mean;
};
struct Histogram {
    std::vector<unsigned> bins_;
    std::unique_ptr<Stats> stats;
    std::string name;
};
struct Base {
    virtual ~Base()
    {
    }
    int id;
};
struct Derived : Base {
    int more[5];
    int last;
};
struct Top {
    virtual ~Top()
    {
    }
    int top;
};
struct Left : virtual Top {
    int left;
};
struct Right : virtual Top {
    int right;
};
struct Bottom : Left, Right {
    int bottom;
};
template <class T> struct Ring {
    T *slots;
    unsigned head, tail;
    union {
        int whole;
        float part;
    };
};
struct Node {
    Node *next;
    int value;
};
/* Compilers only declare the members of a template that belong to no object. */
template <class K, class V> struct Cache {
    template <int Way> struct Level {
        static std::atomic<int> hits;
        static Stats of[4];
    };
    static inline long lookups[4];
};
template <class K, class V> template <int Way> std::atomic<int> Cache<K, V>::Level<Way>::hits;
template <class K, class V> template <int Way> Stats Cache<K, V>::Level<Way>::of[4];
using Deep = Cache<std::string, std::map<int, std::vector<double>>>;

Histogram h;
std::vector<Stats> table(20);
std::unique_ptr<Histogram> owned;
std::shared_ptr<Stats> shared;
std::shared_ptr<Stats> made;
std::map<int, Stats> tree;
std::list<Stats> chain;
std::unordered_map<int, Stats> hash;
std::deque<int> deque;
Base *object;
Top *diamond;
std::vector<std::vector<double>> grid;
Ring<int> *ring;
Node *nodes;
std::atomic<unsigned> counters[4];
std::array<int, 6> fixed;
std::vector<std::unique_ptr<Base>> objects;
static Stats *elements;
Stats &ref = *new Stats;

int main()
{
    h.bins_.resize(100);
    h.stats.reset(new Stats());
    h.name = "a name that is longer than the buffer";
    owned.reset(new Histogram);
    owned->bins_.resize(10);
    shared.reset(new Stats());
    made = std::make_shared<Stats>();
    for (int i = 0; i < 5; i++) {
        tree[i].hits = i;
        chain.push_back(Stats());
        hash[i].hits = i;
        deque.push_back(i);
    }
    object = new Derived;
    diamond = new Bottom;
    grid.resize(4);
    for (auto &row : grid)
        row.resize(8);
    ring = new Ring<int>;
    ring->slots = new int[32];
    for (int i = 0; i < 6; i++) {
        Node *n = new Node;
        n->next = nodes;
        n->value = i;
        nodes = n;
    }
    for (int i = 0; i < 3; i++)
        objects.emplace_back(new Derived);
    elements = new Stats[7];
    std::vector<int> mine(50);
    Histogram local;
    local.bins_.resize(30);
    says(&h.bins_[17], "h.bins_[17]");
    says(&h.stats->misses, "h.stats->misses");
    says(&h.name[3], "h.name[3]");
    says(&table[3].misses, "table[3].misses");
    says(&owned->bins_[4], "owned->bins_[4]");
    says(&owned->stats, "owned->stats");
    says(&shared->mean, "shared->mean");
    says(&made->mean, "made->mean");
    says(&tree[0].misses, "tree->second.misses");
    says(&tree[3].misses, "tree->second.misses");
    says(&chain.back().mean, "chain->mean");
    says(&hash[2].hits, "hash[*]->second.hits");
    says(&deque[3], "deque[3]");
    says(&static_cast<Derived *>(object)->more[2], "object->more[2]");
    says(&dynamic_cast<Bottom *>(diamond)->bottom, "diamond->bottom");
    says(&diamond->top, "diamond->top");
    says(&grid[2][5], "grid[2][5]");
    says(&ring->tail, "ring->tail");
    says(&ring->part, "ring->whole|part");
    says(&ring->slots[9], "ring->slots[9]");
    says(&nodes->value, "nodes->value");
    says(&nodes->next->next->value, "nodes->...->value");
    says(&counters[2], "counters[2]");
    says(&fixed[3], "fixed[3]");
    says(&static_cast<Derived *>(objects[1].get())->last, "objects[1]->last");
    says(&elements[4].misses, "elements[4].misses");
    says(&ref.misses, "ref->misses");
    says(&Deep::lookups[2], "Cache<std::string, std::map<int, std::vector<double>>>::lookups[2]");
    says(&Deep::Level<2>::hits,
         "Cache<std::string, std::map<int, std::vector<double>>>::Level<2>::hits");
    says(&Deep::Level<2>::of[1].misses,
         "Cache<std::string, std::map<int, std::vector<double>>>::Level<2>::of[1].misses");
    says(&mine[20], "mine[20] (local of main)");
    says(&local.bins_[20], "local.bins_[20] (local of main)");
    std::fflush(stdout);
    _Exit(0);
}
