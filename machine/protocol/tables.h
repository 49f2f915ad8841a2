/* The tables of all protocols, each made in the file of its kind of agent. */
#ifndef NM_PROTOCOL_TABLES_H
#define NM_PROTOCOL_TABLES_H

#include "machine/protocol.h"

#define PROTOCOL(id, name, direct, sentence) \
    extern const struct nm_table nm_##id##_card, nm_##id##_home, nm_##id##_network;
#include "machine/protocol/protocols.def"
#undef PROTOCOL

/** The test that breaks cells on purpose writes to them. */
#ifdef NM_PROTOCOL_MUTABLE
#define NM_CELLS static
#else
#define NM_CELLS static const
#endif

#endif
