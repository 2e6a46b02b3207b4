/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/machine/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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

/* Has the line of a hierarchy, "1:cpu,cpuacct:/...", this controller? NULL: v2, "0::/...".
 * The path in it, or NULL. */
static char *path_in(char *line, const char *controller)
{
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL, *name, *rest;

    if (!path)
        return NULL;
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    if (!controller)
        return names[1] == '\0' ? path : NULL;
    for (name = strtok_r(names + 1, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
        if (strcmp(name, controller) == 0)
            return path;
    return NULL;
}

/* The group of this process as a folder, and the length of the hierarchy's: 0: there is none. */
static size_t own_group(const hsi_groups *at, const char *controller, char *folder)
{
    char   line[4096], *path;
    FILE  *file = fopen(at->own, "re");
    size_t root = 0;

    while (file && !root && fgets(line, sizeof line, file)) {
        path = path_in(line, controller);
        if (!path)
            continue;
        root = (size_t)snprintf(folder, PATH, "%s%s%s", at->mounted, controller ? "/" : "",
                                controller ? controller : "");
        snprintf(folder + root, PATH - root, "%s", path);
    }
    if (file)
        fclose(file);
    return root;
}

/* What a group's folder says; 0: nothing. */
typedef double said(const char *folder);

static double first_number(const char *folder, const char *name, char line[128])
{
    char path[PATH + 32];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    line[0] = '\0';
    return read_line(path, line, 128) ? strtod(line, NULL) : 0;
}

/* "QUOTA PERIOD", the quota "max" if there is none. */
static double quota_v2(const char *folder)
{
    char   line[128], *rest;
    double quota = first_number(folder, "cpu.max", line), period;

    strtod(line, &rest);
    period = strtod(rest, NULL);
    return period > 0 ? quota / period : 0;
}

/* A quota of -1: there is none. */
static double quota_v1(const char *folder)
{
    char   line[128];
    double quota = first_number(folder, "cpu.cfs_quota_us", line);
    double period = first_number(folder, "cpu.cfs_period_us", line);

    return period > 0 ? quota / period : 0;
}

static double memory_v2(const char *folder)
{
    char line[128];

    return first_number(folder, "memory.max", line); /* of "max" 0 */
}

static double memory_v1(const char *folder)
{
    char line[128];

    return first_number(folder, "memory.limit_in_bytes", line);
}

/* The least of what the group of this process and those above it say. */
static double least_above(const hsi_groups *at, const char *controller, said *of)
{
    char   folder[PATH], *slash;
    size_t root = own_group(at, controller, folder);
    double least = root ? of(folder) : 0;

    while (root && strlen(folder) > root) {
        slash = strrchr(folder, '/');
        *slash = '\0';
        least = lesser(least, of(folder));
    }
    return least;
}

double hsi_groups_cpus(const hsi_groups *at)
{
    return lesser(least_above(at, NULL, quota_v2), least_above(at, "cpu", quota_v1));
}

double hsi_groups_memory(const hsi_groups *at)
{
    return lesser(least_above(at, NULL, memory_v2), least_above(at, "memory", memory_v1));
}

static const hsi_groups here = {"/proc/self/cgroup", "/sys/fs/cgroup"};

double hsi_limit_cpus(void)
{
    return hsi_groups_cpus(&here);
}

double hsi_limit_memory(void)
{
    long   pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double there = pages > 0 && page > 0 ? (double)pages * (double)page : 0;

    return lesser(there, hsi_groups_memory(&here));
}

double hsi_limit_address_space(void)
{
    struct rlimit limit;
    char          line[128];
    long          page = sysconf(_SC_PAGESIZE);
    double        mapped;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    mapped = read_line("/proc/self/statm", line, sizeof line) ? strtod(line, NULL) : 0;
    return fmax(0, (double)limit.rlim_cur - mapped * (double)page);
}
