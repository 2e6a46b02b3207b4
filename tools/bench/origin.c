/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-bench: the version and the machine that made a row. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/version.h>

#include "bench/bench.h"
#include "bench/commit.h"

static char version[128];

static void find_version(void)
{
    snprintf(version, sizeof version, "%s%s%s", hs_library_version_string(),
             HS_COMMIT[0] ? " " : "", HS_COMMIT);
}

const char *bench_version(void)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;

    pthread_once(&found, find_version);
    return version;
}

/* Find the processor's name in /proc/cpuinfo, cut at a quote, which CSV would have to escape. */
static void find_processor(char *name, size_t size)
{
    FILE *in = fopen("/proc/cpuinfo", "re");
    char  line[512];

    snprintf(name, size, "processor unknown");
    while (in && fgets(line, sizeof line, in)) {
        const char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        line[strcspn(line, "\"\r\n")] = '\0';
        snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
        break;
    }
    if (in)
        fclose(in);
}

const char *bench_machine(void)
{
    static char text[600];

    if (!text[0]) {
        char processor[512];

        find_processor(processor, sizeof processor);
        snprintf(text, sizeof text, "%s, %ld cores", processor, sysconf(_SC_NPROCESSORS_ONLN));
    }
    return text;
}
