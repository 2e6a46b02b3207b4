/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/machine/limits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PATH = 4096 + 64 };

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "re");
    bool  ok = file && fgets(line, size, file);

    if (file)
        fclose(file);
    return ok;
}

static double lesser(double known, double found)
{
    return found > 0 && (known == 0 || found < known) ? found : known;
}

/* Return the path in a line of a control group hierarchy, "1:cpu,cpuacct:/PATH", if the line names
 * the controller; for controller NULL the path of a v2 line, "0::/PATH". Return NULL otherwise. */
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

/* Write the folder of this process's group. Return the length of the part that names the hierarchy;
 * 0: no such hierarchy. */
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

/* Returns the limit in a group's folder; 0: none. */
typedef double read_limit(const char *folder);

static double first_number(const char *folder, const char *name, char line[128])
{
    char path[PATH + 32];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    line[0] = '\0';
    return read_line(path, line, 128) ? strtod(line, NULL) : 0;
}

/* Read "QUOTA PERIOD"; the quota is "max" if there is no limit. */
static double quota_v2(const char *folder)
{
    char   line[128], *rest;
    double quota = first_number(folder, "cpu.max", line), period;

    strtod(line, &rest);
    period = strtod(rest, NULL);
    return period > 0 ? quota / period : 0;
}

/* Read quota and period; a quota of -1 means no limit. */
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

    return first_number(folder, "memory.max", line); /* 0 for "max" */
}

static double memory_v1(const char *folder)
{
    char line[128];

    return first_number(folder, "memory.limit_in_bytes", line);
}

/* Return the smallest limit of this process's group and the groups above; 0: none. */
static double least_above(const hsi_groups *at, const char *controller, read_limit *limit_of)
{
    char   folder[PATH], *slash;
    size_t root = own_group(at, controller, folder);
    double least = root ? limit_of(folder) : 0;

    while (root && strlen(folder) > root) {
        slash = strrchr(folder, '/');
        *slash = '\0';
        least = lesser(least, limit_of(folder));
    }
    return least;
}

double hsi_groups_cpu_limit(const hsi_groups *at)
{
    return lesser(least_above(at, NULL, quota_v2), least_above(at, "cpu", quota_v1));
}

double hsi_groups_memory_limit(const hsi_groups *at)
{
    return lesser(least_above(at, NULL, memory_v2), least_above(at, "memory", memory_v1));
}

static const hsi_groups here = {"/proc/self/cgroup", "/sys/fs/cgroup"};

double hsi_cpu_limit(void)
{
    return hsi_groups_cpu_limit(&here);
}

double hsi_memory_limit(void)
{
    long   pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    double there = pages > 0 && page > 0 ? (double)pages * (double)page : 0;

    return lesser(there, hsi_groups_memory_limit(&here));
}

double hsi_address_space_limit(void)
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
