/* The host a run takes place on, as Linux describes it. */
#include "documents/host.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

double doc_host_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

uint64_t doc_host_memory(void)
{
    char line[256];
    unsigned long long kilobytes = 0, limit = 0;
    FILE *in = fopen("/proc/meminfo", "re");
    while (in && fgets(line, sizeof line, in) && !kilobytes)
        sscanf(line, "MemAvailable: %llu", &kilobytes);
    if (in)
        fclose(in);
    in = fopen("/sys/fs/cgroup/memory.max", "re");
    if (in && fscanf(in, "%llu", &limit) == 1 && limit / 1024 < kilobytes)
        kilobytes = limit / 1024;
    if (in)
        fclose(in);
    return kilobytes * 1024;
}

static void read_cpu(char *cpu, size_t size)
{
    char line[512];
    FILE *in = fopen("/proc/cpuinfo", "re");
    snprintf(cpu, size, "unknown");
    while (in && fgets(line, sizeof line, in)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(cpu, size, "%s", colon + 1 + (colon[1] == ' '));
        cpu[strcspn(cpu, "\n")] = '\0';
        break;
    }
    if (in)
        fclose(in);
}

void doc_host_start(struct doc_host *host)
{
    if (gethostname(host->name, sizeof host->name - 1) < 0)
        snprintf(host->name, sizeof host->name, "unknown");
    read_cpu(host->cpu, sizeof host->cpu);
    host->cores = sysconf(_SC_NPROCESSORS_ONLN);
    clock_gettime(CLOCK_REALTIME, &host->start);
    host->seconds = -doc_host_seconds();
}

void doc_host_stop(struct doc_host *host)
{
    struct rusage usage;
    clock_gettime(CLOCK_REALTIME, &host->end);
    host->seconds += doc_host_seconds();
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        host->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
}
