/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate: what it does with a profile without measuring. */
#include <string.h>

#include "calibrate/calibrate.h"
#include "common/escape.h"
#include "common/message.h"

static int forget(times_profile *p, const char *key)
{
    hs_error  error = {0};
    uint64_t  deleted = 0;
    hs_status st = profile_forget(p, strcmp(key, "all") == 0 ? NULL : key, &deleted, &error);

    if (st != HS_OK)
        return profile_refused(st, &error);
    if (deleted == 0 && strcmp(key, "all") != 0) {
        message("%s: no time belongs to the key '%s'; --list shows the keys", p->path, key);
        return EXIT_WORK;
    }
    printf("%s: %llu entr%s deleted\n", SHOWN(p->path), (unsigned long long)deleted,
           deleted == 1 ? "y" : "ies");
    return EXIT_OK;
}

bool calibrate_has_action(const calibrate_actions *a)
{
    return a->model_count > 0 || a->forget || a->plot || a->list;
}

void calibrate_name_gpu(char model[HS_MAX_PROCESSOR_MODEL])
{
    hs_exec_device device;
    unsigned       count;

    hs_exec_device_init(&device);
    if (hs_exec_device_at(NULL, 0, &device, &count, NULL) == HS_OK)
        snprintf(model, HS_MAX_PROCESSOR_MODEL, "%s", device.name);
}

int calibrate_profile(const char *path, const calibrate_actions *a)
{
    char          gpu[HS_MAX_PROCESSOR_MODEL] = "unknown GPU of StarPU";
    times_profile p = {.path = path};
    hs_cost      *models = NULL;
    int           code = EXIT_OK;

    if (a->model_count > 0) {
        code = calibrate_read_models(a->models, a->model_count, &models);
        calibrate_name_gpu(gpu);
    }
    if (!code && a->forget && !models) { /* refuse a missing file, as --list does */
        code = profile_open(&p, path, HS_PROFILE_READ, 1, gpu);
        profile_close(&p);
    }
    if (!code)
        code = profile_open(&p, path, models || a->forget ? HS_PROFILE_UPDATE : HS_PROFILE_READ, 1,
                            gpu);
    if (!code && models)
        code = calibrate_import(&p, models);
    if (!code && a->forget)
        code = forget(&p, a->forget);
    if (!code && a->plot)
        code = calibrate_plot_profile(&p, a->plot);
    if (!code && a->list)
        code = calibrate_list_profile(&p);
    hs_cost_free(models);
    profile_close(&p);
    return code;
}
