/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/backend/command/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE "CUDA_VISIBLE_DEVICES"

/* All variables that are set; the last four only if the settings do not keep visible devices. */
static const char *const ours[] = {
    "HSCHED_TASK",          "HSCHED_ATTEMPT",      "HSCHED_WORKER",        "HSCHED_GPU",
    "HSCHED_CORES",         "OMP_NUM_THREADS",     "OPENBLAS_NUM_THREADS", "CUDA_DEVICE_ORDER",
    VISIBLE,                "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};

enum { OURS = sizeof ours / sizeof *ours, OF_DEVICES = 4, DEVICE = 256 };

static bool is_ours(const char *variable, size_t count)
{
    size_t length, i;

    for (i = 0; i < count; i++) {
        length = strlen(ours[i]);
        if (strncmp(variable, ours[i], length) == 0 && variable[length] == '=')
            return true;
    }
    return false;
}

hs_status hsi_environment_create(const hs_backend_options *options, char *const *inherited,
                                 hsi_environment *out)
{
    size_t count = options->keep_visible_devices ? OURS - OF_DEVICES : OURS, had = 0, i;

    while (inherited && inherited[had])
        had++;
    *out = (hsi_environment){.variables = calloc(had + OURS + 1, sizeof *out->variables)};
    if (!out->variables)
        return HS_ENOMEM;
    for (i = 0; i < had; i++) {
        if (!is_ours(inherited[i], count))
            out->variables[out->worker_variables++] = inherited[i];
        if (strncmp(inherited[i], VISIBLE "=", sizeof VISIBLE) == 0)
            out->visible = inherited[i] + sizeof VISIBLE;
    }
    return HS_OK;
}

void hsi_environment_free(hsi_environment *environment)
{
    free(environment->variables);
    *environment = (hsi_environment){.variables = NULL};
}

/* The text being written, and whether all variables fit. */
typedef struct settings {
    char  *text;
    size_t used;
    bool   whole;
} settings;

static void set(settings *s, const char *name, const char *value)
{
    size_t room = HSI_ENVIRONMENT_ROOM - s->used;
    int    length = snprintf(s->text + s->used, room, "%s=%s", name, value);

    s->whole &= length >= 0 && (size_t)length < room;
    if (s->whole)
        s->used += (size_t)length + 1;
}

/* Return the device of an emulated GPU: its entry in the list `visible`, "-1" beyond the end of the
 * list, or its index without a list. */
static const char *emulated_device(const char *visible, unsigned number, const char *index,
                                   char entry[DEVICE])
{
    for (; visible && number > 0; number--) {
        visible = strchr(visible, ',');
        if (!visible)
            return "-1";
        visible++;
    }
    if (!visible)
        return index;
    snprintf(entry, DEVICE, "%.*s", (int)strcspn(visible, ","), visible);
    return entry[0] ? entry : "-1";
}

/*
 * Set the variables that select devices. No backend drives AMD GPUs, so an emulated GPU may stand
 * for one: ROCR selects the device by the worker's index, and HIP counts the one visible device
 * from 0.
 */
static void show_devices(settings *s, const hs_backend_worker_info *info, const char *visible,
                         const char *index)
{
    bool        is_gpu = info->type == HS_GPU;
    char        entry[DEVICE];
    const char *device = is_gpu ? info->device : "-1";

    set(s, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    set(s, VISIBLE, device ? device : emulated_device(visible, info->index, index, entry));
    set(s, "HIP_VISIBLE_DEVICES", is_gpu ? "0" : "-1");
    set(s, "ROCR_VISIBLE_DEVICES", is_gpu ? index : "-1");
}

size_t hsi_environment_write_worker(const hs_backend_options     *options,
                                    const hs_backend_worker_info *info, const char *visible_devices,
                                    char text[HSI_ENVIRONMENT_ROOM])
{
    settings s = {.text = text, .whole = true};
    char     worker[16], cores[16], index[16];

    hs_worker_name(info->cpus, info->number, worker);
    snprintf(cores, sizeof cores, "%u", info->core_count);
    snprintf(index, sizeof index, "%u", info->index);
    set(&s, "OMP_NUM_THREADS", cores);
    set(&s, "OPENBLAS_NUM_THREADS", cores);
    set(&s, "HSCHED_CORES", cores);
    set(&s, "HSCHED_WORKER", worker);
    if (info->type == HS_GPU)
        set(&s, "HSCHED_GPU", index);
    if (!options->keep_visible_devices)
        show_devices(&s, info, visible_devices, index);
    return s.whole ? s.used : 0;
}
