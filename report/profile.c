#include "report/profile.h"
#include <stdlib.h>
void rep_profile_free(struct rep_profile *p) { (void)p; }
void rep_profile_write(const struct rep_profile *p, FILE *out)
{
    for (size_t i = 0; i < p->paths; i++) fprintf(out, "path %zu %u %lx %lx\n", i, p->path[i].parent, p->path[i].call, p->path[i].function);
    for (size_t i = 0; i < p->rows; i++) { fprintf(out, "%u %u %u %lx", p->row[i].phase, p->row[i].thread, p->row[i].path, p->row[i].pc); for (int c = 0; c < PC_PROFILE__COUNT; c++) fprintf(out, " %ld", p->row[i].v[c]); fputc('\n', out);}
}
