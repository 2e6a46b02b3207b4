/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/machine/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define V2_ROOT "/sys/fs/cgroup"

enum { PATH = 4096 + 64 };

static int read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    int   ok = file && fgets(line, size, file);

    if (file)
        fclose(file);
    return ok;
}

static double lesser(double known, double found)
{
    return found > 0 && (known == 0 || found < known) ? found : known;
}

/* "QUOTA PERIOD", the quota "max" if there is none: 0 then. */
static double quota_of(const char *line)
{
    char         *rest;
    unsigned long quota = strtoul(line, &rest, 10), period;

    if (rest == line)
        return 0;
    period = strtoul(rest, NULL, 10);
    return period ? (double)quota / (double)period : 0;
}

static double bytes_of(const char *line)
{
    return (double)strtoull(line, NULL, 10); /* of "max" 0 */
}

/* The group of this process in the unified hierarchy, as a folder. */
static int own_group(char *folder)
{
    char  line[4096];
    FILE *file = fopen("/proc/self/cgroup", "re");
    int   found = 0;

    while (file && !found && fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(folder, PATH, V2_ROOT "%s", line + 3);
        found = 1;
    }
    if (file)
        fclose(file);
    return found;
}

/* The least of what `name` says in the group's folder and in those above it. */
static double least_above(const char *name, double (*value)(const char *))
{
    char   folder[PATH], path[PATH + 32], line[128], *slash;
    double least = 0;

    if (!own_group(folder))
        return 0;
    while (strlen(folder) >= strlen(V2_ROOT)) {
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (read_line(path, line, sizeof line))
            least = lesser(least, value(line));
        slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return least;
}

double hsi_limit_cpus(void)
{
    char   quota[64], period[64];
    double limit = least_above("cpu.max", quota_of);

    if (read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof quota) &&
        read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof period) &&
        quota[0] != '-' && strtod(period, NULL) > 0)
        limit = lesser(limit, strtod(quota, NULL) / strtod(period, NULL));
    return limit;
}

double hsi_limit_memory(void)
{
    char   line[64];
    long   pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double limit = pages > 0 && page > 0 ? (double)pages * (double)page : 0;

    limit = lesser(limit, least_above("memory.max", bytes_of));
    if (read_line("/sys/fs/cgroup/memory/memory.limit_in_bytes", line, sizeof line))
        limit = lesser(limit, bytes_of(line));
    return limit;
}
