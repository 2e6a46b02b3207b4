/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/available.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/input.h"
#include "common/checked_memory.h"
#include "common/message.h"
#include "common/options.h"

enum { WORD_SIZE = 64, LONGEST_FILE = 64 << 20 };

/* Return the number of the worker called `name`; -1: the instance has no such worker. */
static long worker_named(const char *name, const hs_instance *in)
{
    unsigned long cpus = hs_instance_cpus(in), gpus = hs_instance_gpus(in), index;
    bool          is_gpu = strncmp(name, "gpu", 3) == 0;
    char         *end;

    if ((!is_gpu && strncmp(name, "cpu", 3) != 0) || name[3] < '0' || name[3] > '9')
        return -1;
    errno = 0;
    index = strtoul(name + 3, &end, 10);
    if (*end || errno || index >= (is_gpu ? gpus : cpus))
        return -1;
    return (long)(is_gpu ? cpus + index : index);
}

/* Store the entry WORKER=TIME in `available`. */
static void take(char *word, const hs_instance *in, double *available)
{
    char *equals = strchr(word, '=');
    long  worker;

    if (!equals)
        usage_error("--available: '%s' is not WORKER=TIME, such as cpu3=12.5", word);
    *equals = '\0';
    worker = worker_named(word, in);
    if (worker < 0)
        usage_error("--available: there is no worker '%s' among %u CPUs and %u GPUs", word,
                    hs_instance_cpus(in), hs_instance_gpus(in));
    available[worker] = parse_double("--available", equals + 1, 0, DBL_MAX / 4);
}

static void take_all(const char *list, const hs_instance *in, double *available)
{
    static const char between[] = ", \t\r\n";
    char              word[WORD_SIZE];

    for (list += strspn(list, between); *list; list += strspn(list, between)) {
        size_t length = strcspn(list, between);

        snprintf(word, sizeof word, "%.*s", (int)(length < WORD_SIZE ? length : WORD_SIZE - 1),
                 list);
        take(word, in, available);
        list += length;
    }
}

static int read_file(const char *path, char **text)
{
    size_t length;
    input  in;
    int    code = input_open(path, &in);

    if (code)
        return code;
    code = input_read_all(&in, LONGEST_FILE, text, &length);
    input_close(&in);
    if (code || length <= LONGEST_FILE)
        return code;
    message("%s: the file is larger than 64 MiB", path);
    free(*text);
    return EXIT_USAGE;
}

int available_read(const char *list, const hs_instance *in, double **out)
{
    size_t workers = (size_t)hs_instance_cpus(in) + hs_instance_gpus(in);
    char  *text = NULL;
    int    code = EXIT_OK;

    *out = NULL;
    if (!list)
        return EXIT_OK;
    if (list[0] == '@')
        code = read_file(list + 1, &text);
    if (code)
        return code;
    *out = checked_calloc(workers, sizeof **out);
    take_all(text ? text : list, in, *out);
    free(text);
    return EXIT_OK;
}
