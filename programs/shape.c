/*
 * Numbers of elements of arrays of several dimensions, of which the first one's elements lie next
 * to each other.
 */
#include "programs/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *prog_shape_index(const char *shape, uint64_t index, char buf[PROG_SHAPE])
{
    size_t used = 0;
    char *end = (char *)shape;

    for (const char *at = shape; *at && used + 24 < PROG_SHAPE; at = end + (*end == ',')) {
        const int64_t first = strtoll(at, &end, 10);
        const int64_t last = *end == ':' ? strtoll(end + 1, &end, 10) : first;
        const uint64_t count = last >= first ? (uint64_t)last - (uint64_t)first + 1 : 1;
        if (end == at || (*end && *end != ','))
            break;
        used += (size_t)snprintf(buf + used, PROG_SHAPE - used, "%c%" PRId64, used ? ',' : '(',
                                 (int64_t)((uint64_t)first + (*end ? index % count : index)));
        index /= count;
    }
    snprintf(buf + used, PROG_SHAPE - used, used ? ")" : "(?)");
    return buf;
}
