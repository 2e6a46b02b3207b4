/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hsched-bench: read the solution file of a solver. All formats have a line per variable, with its
 * name and then its value among other words; GLPK puts a star between them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peer/peer.h"

/* Parse a variable name such as "x12_3". Return false for any other text. */
static bool read_name(const char *word, size_t *task, unsigned *worker)
{
    int used = 0;

    return sscanf(word, "x%zu_%u%n", task, worker, &used) == 2 && !word[used];
}

/* Find a variable and its value in a line. Return false if there is none. */
static bool read_line(char *line, size_t *task, unsigned *worker, double *value)
{
    static const char blanks[] = " \t\r\n*";
    char             *rest = line, *word;

    while ((word = strtok_r(rest, blanks, &rest)))
        if (read_name(word, task, worker)) {
            word = strtok_r(NULL, blanks, &rest);
            *value = word ? strtod(word, NULL) : 0;
            return word != NULL;
        }
    return false;
}

bool bench_peer_read_answer(const char *path, size_t tasks, unsigned workers, uint32_t *worker)
{
    FILE    *in = fopen(path, "re");
    char     line[512];
    size_t   task, placed = 0;
    unsigned at;
    double   value;

    if (!in)
        return false;
    for (size_t i = 0; i < tasks; i++)
        worker[i] = UINT32_MAX;
    while (fgets(line, sizeof line, in) && strncmp(line, "# Dual", 6) != 0)
        if (read_line(line, &task, &at, &value) && value > 0.5 && task < tasks && at < workers) {
            placed += worker[task] == UINT32_MAX;
            worker[task] = at;
        }
    fclose(in);
    return placed == tasks;
}
