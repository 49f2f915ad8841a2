/*
 * What the columns of a directory's table say, for home.c and network.c, which have defined the
 * words of their rows. It is included once by each and has no guard.
 */
enum {
    NOTHING = 0,
#include "machine/actions.def"
};

enum { LOCKED = NM_LOCKED, VALID = NM_VALID, POLLS = NM_POLLS, AWAY = NM_AWAY };
enum { G = NM_INFO_GLOBAL, V = NM_INFO_VALID, H = NM_INFO_NC_HIT };
enum { HERE, NETWORK };
#define ANYWHERE     HERE... NETWORK
#define NM_MSG_EJECT NM_EJECT
#define STATES(text, kind, attribute_words, info_words, meaning)                                  \
    {                                                                                             \
        .name = text, .sentence = meaning, .row = NM_ROW_##kind, .attributes = (attribute_words), \
        .info = (info_words)                                                                      \
    }
#define TABLE_EVENTS TABLE_FILE
