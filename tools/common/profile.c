/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/message.h"

/* Return whether the first GPU is a better choice than the second: a device, or more entries. */
static bool is_better(const hs_processor *gpu, uint64_t entries, const hs_processor *other,
                      uint64_t other_entries)
{
    bool is_device = strcmp(gpu->model, PROFILE_EMULATED) != 0;
    bool other_is_device = strcmp(other->model, PROFILE_EMULATED) != 0;

    return is_device != other_is_device ? is_device : entries > other_entries;
}

/* Set the GPU to the model of the file with the most entries, and name it if there are several. */
static hs_status choose_gpu(times_profile *p, hs_error *error)
{
    hs_processor *gpu = &p->processor[HS_GPU], other;
    size_t        count = 0, gpus = 0;
    uint64_t      entries, most = 0;
    hs_status     status = hs_profile_count_processors(p->file, &count, error);

    hs_processor_init(&other);
    for (size_t i = 0; status == HS_OK && i < count; i++) {
        status = hs_profile_processor_at(p->file, i, &other, &entries, error);
        if (status != HS_OK || other.type != HS_GPU)
            continue;
        gpus++;
        if (most > 0 && !is_better(&other, entries, gpu, most))
            continue;
        *gpu = other;
        most = entries;
    }
    if (status == HS_OK && gpus > 1)
        message("%s: it has times of %zu models of GPUs; those of %s serve", p->path, gpus,
                gpu->model);
    return status;
}

static bool is_missing(const char *path)
{
    return access(path, F_OK) != 0 && errno == ENOENT;
}

bool profile_is_supported(void)
{
    return true;
}

int profile_open(times_profile *p, const char *path, hs_profile_access access, unsigned cores,
                 const char *gpu)
{
    hs_error  error = {0};
    hs_status status;

    *p = (times_profile){.path = path};
    for (int type = HS_CPU; type <= HS_GPU; type++)
        hs_processor_init(&p->processor[type]);
    hs_processor_detect_cpu(cores > 1 ? (int)cores : 1, &p->processor[HS_CPU]);
    p->processor[HS_GPU].type = HS_GPU;
    snprintf(p->processor[HS_GPU].model, HS_MAX_PROCESSOR_MODEL, "%s",
             gpu ? gpu : PROFILE_EMULATED);
    if (hs_cost_create(&p->known) != HS_OK)
        return message_status(HS_ENOMEM, path);
    if (strcmp(path, ":memory:") == 0)
        access = HS_PROFILE_UPDATE;
    if (access == HS_PROFILE_READ && is_missing(path)) {
        message(
            "%s: there is no such profile; hsched-exec --profile and hsched-calibrate --profile "
            "create one",
            path);
        return EXIT_USAGE;
    }
    status = hs_profile_open(path, access, &p->file, &error);
    if (status == HS_OK && !gpu)
        status = choose_gpu(p, &error);
    return status == HS_OK ? EXIT_OK : profile_refused(status, &error);
}

/* Load the entries of similar processors for missing keys. */
static hs_status load_similar(times_profile *p, hs_type type, bool quiet, hs_error *error)
{
    char         from[PROFILE_PROCESSOR];
    hs_processor similar;
    uint64_t     keys = 0;
    hs_status    status;

    hs_processor_init(&similar);
    status =
        hs_profile_load_similar(p->file, &p->processor[type], p->known, &similar, &keys, error);
    if (status != HS_OK || keys == 0 || quiet)
        return status;
    profile_describe(&similar, from);
    message("%s: it has no times of %llu program%s or kernel%s on this %s; those of %s serve",
            p->path, (unsigned long long)keys, keys == 1 ? "" : "s", keys == 1 ? "" : "s",
            type == HS_CPU ? "CPU" : "GPU", from);
    return HS_OK;
}

int profile_load(times_profile *p, bool quiet)
{
    hs_error  error = {0};
    hs_status status =
        hs_profile_load(p->file, &p->processor[HS_CPU], &p->processor[HS_GPU], p->known, &error);

    for (int type = HS_CPU; status == HS_OK && type <= HS_GPU; type++)
        status = load_similar(p, (hs_type)type, quiet, &error);
    return status == HS_OK ? EXIT_OK : profile_refused(status, &error);
}

hs_status profile_write(times_profile *p, hs_cost *cost, hs_error *error)
{
    return hs_profile_flush(p->file, &p->processor[HS_CPU], &p->processor[HS_GPU], cost, error);
}

hs_status profile_replace_entries(times_profile *p, hs_cost *cost, hs_error *error)
{
    return hs_profile_replace_entries(p->file, &p->processor[HS_CPU], &p->processor[HS_GPU], cost,
                                      error);
}

hs_status profile_trim(times_profile *p, hs_error *error)
{
    return hs_profile_trim(p->file, HS_PROFILE_MAX_ENTRIES, error);
}

hs_status profile_processor_at(times_profile *p, size_t index, hs_processor *processor,
                               hs_cost **cost, hs_error *error)
{
    uint64_t  entries;
    hs_cost  *loaded = NULL;
    hs_status status;

    hs_processor_init(processor);
    status = hs_profile_processor_at(p->file, index, processor, &entries, error);
    if (status == HS_OK)
        status = hs_cost_create(&loaded);
    if (status == HS_OK)
        status = hs_profile_load(p->file, processor->type == HS_CPU ? processor : NULL,
                                 processor->type == HS_GPU ? processor : NULL, loaded, error);
    if (status == HS_OK)
        *cost = loaded;
    else
        hs_cost_free(loaded);
    return status;
}

hs_status profile_forget(times_profile *p, const char *key, uint64_t *deleted, hs_error *error)
{
    return hs_profile_forget(p->file, key, deleted, error);
}

void profile_close(times_profile *p)
{
    hs_profile_close(p->file);
    hs_cost_free(p->known);
    *p = (times_profile){0};
}
