/* SPDX-License-Identifier: BSD-3-Clause */

/* A plugin with a constructor, which prints a word and, if EAGER is set, ends the program. Its task
 * ignores requests to end. */

#include <hybridsched/plugin.h>

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

HS_PLUGIN_FILE;

static __attribute__((constructor)) void begin(void)
{
    static const char word[] = "opened\n";

    if (write(STDERR_FILENO, word, sizeof word - 1) > 0 && getenv("EAGER"))
        kill(getpid(), SIGTERM);
}

HS_PLUGIN_TASK(never_looks)
{
    (void)task;
    for (;;)
        kill(getpid(), SIGINT);
    return HS_PLUGIN_DONE;
}
