/*
 * Builds a trie of words in each thread, from a pool of nodes of the thread's own, and counts the
 * words with a common beginning. The pools are allocated with room between them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS  4
#define NODES    1500
#define WORDS    4500
#define NTHREADS 4

struct trie {
    struct trie *child[LETTERS];
    unsigned words;
};

struct pool {
    int used;
    struct trie nodes[NODES];
};

struct result {
    unsigned words, nodes;
    char unused[56];
};

static struct trie *new_node(struct pool *pool)
{
    if (pool->used == NODES)
        return NULL;
    return memset(&pool->nodes[pool->used++], 0, sizeof(struct trie));
}

static void add_word(struct pool *pool, struct trie *root, const char *word)
{
    for (; *word; word++) {
        struct trie **child = &root->child[*word - 'a'];
        if (!*child && !(*child = new_node(pool)))
            return;
        root = *child;
        root->words++;
    }
}

static unsigned count_prefix(const struct trie *root, const char *prefix)
{
    for (; root && *prefix; prefix++)
        root = root->child[*prefix - 'a'];
    return root ? root->words : 0;
}

static void *build(void *arg)
{
    struct result *result = arg;
    struct pool *pool = aligned_alloc(4096, (sizeof *pool + 4095) / 4096 * 4096);
    struct trie *root;
    unsigned x = 77;

    pool->used = 0;
    root = new_node(pool);
    for (int i = 0; i < WORDS; i++) {
        char word[9];
        int length = 0;

        do {
            x = x * 1103515245u + 12345u;
            word[length++] = (char)('a' + (x >> 28) % LETTERS);
        } while (length < 8 && (x >> 16) % 8);
        word[length] = '\0';
        add_word(pool, root, word);
    }
    result->words = count_prefix(root, "ab") + count_prefix(root, "cad");
    result->nodes = (unsigned)pool->used;
    free(pool);
    return NULL;
}

int main(void)
{
    static struct result results[NTHREADS] __attribute__((aligned(64)));
    pthread_t threads[NTHREADS];
    unsigned words = 0, nodes = 0;

    for (int t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, build, &results[t]);
    for (int t = 0; t < NTHREADS; t++) {
        pthread_join(threads[t], NULL);
        words += results[t].words;
        nodes += results[t].nodes;
    }
    printf("%u words, %u nodes\n", words, nodes);
    return 0;
}
