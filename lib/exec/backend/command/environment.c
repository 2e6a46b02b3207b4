/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/backend/command/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    const char *name, *value;
} setting;

enum { SETTINGS = 5, PER_ATTEMPT = 2 };

/* What is set for as long as the worker serves; returns how many. */
static size_t lasting(const hs_backend_options *options, const hs_backend_worker_info *info,
                      const char *worker, setting to[SETTINGS])
{
    size_t n = 0;

    to[n++] = (setting){"OMP_NUM_THREADS", "1"};
    to[n++] = (setting){"OPENBLAS_NUM_THREADS", "1"};
    to[n++] = (setting){"HSCHED_WORKER", worker};
    if (!options->keep_visible_devices) {
        int has_device = info->type == HS_GPU && info->device;

        to[n++] = (setting){"CUDA_DEVICE_ORDER", "PCI_BUS_ID"};
        to[n++] = (setting){"CUDA_VISIBLE_DEVICES", has_device ? info->device : "-1"};
    }
    return n;
}

static int is_of(const char *variable, const char *name)
{
    size_t length = strlen(name);

    return strncmp(variable, name, length) == 0 && variable[length] == '=';
}

static int is_replaced(const char *variable, const setting *by, size_t count)
{
    if (is_of(variable, "HSCHED_TASK") || is_of(variable, "HSCHED_ATTEMPT"))
        return 1;
    while (count--) {
        if (is_of(variable, by[count].name))
            return 1;
    }
    return 0;
}

/* All of them one behind the other, in one allocation. */
static char *write_settings(const setting *settings, size_t count, char **variables)
{
    size_t bytes = 0, i;
    char  *own, *end;

    for (i = 0; i < count; i++)
        bytes += strlen(settings[i].name) + strlen(settings[i].value) + 2;
    own = end = malloc(bytes);
    if (!own)
        return NULL;
    for (i = 0; i < count; i++) {
        variables[i] = end;
        end += snprintf(end, bytes - (size_t)(end - own), "%s=%s", settings[i].name,
                        settings[i].value) +
               1;
    }
    return own;
}

hs_status hsi_environment_create(const hs_backend_options     *options,
                                 const hs_backend_worker_info *info, char *const *inherited,
                                 hsi_environment *out)
{
    hsi_environment env = {.variables = NULL};
    setting         settings[SETTINGS];
    char            worker[16];
    size_t          count, had = 0, kept = 0, i;

    hs_worker_name(info->cpus, info->number, worker);
    count = lasting(options, info, worker, settings);
    while (inherited && inherited[had])
        had++;
    env.variables = calloc(had + count + PER_ATTEMPT + 1, sizeof *env.variables);
    if (!env.variables)
        return HS_ENOMEM;
    for (i = 0; i < had; i++) {
        if (!is_replaced(inherited[i], settings, count))
            env.variables[kept++] = inherited[i];
    }
    env.own = write_settings(settings, count, env.variables + kept);
    if (!env.own) {
        hsi_environment_free(&env);
        return HS_ENOMEM;
    }
    env.task = kept + count;
    *out = env;
    return HS_OK;
}

void hsi_environment_free(hsi_environment *environment)
{
    free(environment->variables);
    free(environment->own);
    *environment = (hsi_environment){.variables = NULL};
}
