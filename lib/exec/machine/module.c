/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/machine/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/backend/backends.h"

#define MODULE "hybridsched-cuda.so"

/* Open a library for good (RTLD_NODELETE): the CUDA libraries register handlers for the end of
 * threads and of the program, and these handlers must stay loaded. */
static void *load(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

void *hsi_module_load(const char *file)
{
    char installed[sizeof HS_MODULE_DIR + 300];

    snprintf(installed, sizeof installed, "%s/%.298s", HS_MODULE_DIR, file);
    return load(!strchr(file, '/') && access(installed, F_OK) == 0 ? installed : file);
}

bool hsi_module_is_file(const char *text)
{
    return strchr(text, '/') && access(text, F_OK) == 0;
}

bool hsi_module_drives_only_devices(const char *file)
{
    void *opened = hsi_module_load(file);
    bool  answer = opened && dlsym(opened, HS_DEVICE_MODULE_SYMBOL) &&
                  !dlsym(opened, HS_BACKEND_MODULE_SYMBOL);

    if (opened)
        dlclose(opened); /* the file stays loaded */
    return answer;
}

static hs_status take_backend(hsi_module *module, hs_error *error)
{
    hs_backend_module_function *entry;

    *(void **)&entry = dlsym(module->file, HS_BACKEND_MODULE_SYMBOL);
    module->backend = entry ? entry(HS_BACKEND_ABI) : NULL;
    if (!hsi_backend_defect(module->backend) && module->backend->devices)
        return HS_OK;
    return hsi_error_set(error, HS_ERESOURCE,
                         "the module for GPUs is for another version of the library");
}

static void take_device_table(hsi_module *module)
{
    hs_device_module_function *entry;

    *(void **)&entry = dlsym(module->file, HS_DEVICE_MODULE_SYMBOL);
    module->device = entry ? entry(HS_DEVICE_ABI) : NULL;
}

hs_status hsi_module_open(const char *path, hsi_module *out, hs_error *error)
{
    hsi_module module = {.file = path ? load(path) : hsi_module_load(MODULE)};
    hs_status  st;

    if (!module.file)
        return hsi_error_set(error, HS_ERESOURCE, "the module for GPUs cannot be opened (%.300s)",
                             dlerror());
    st = take_backend(&module, error);
    take_device_table(&module);
    if (st == HS_OK)
        *out = module;
    else
        hsi_module_close(&module);
    return st;
}

void hsi_module_close(hsi_module *module)
{
    if (module->file)
        dlclose(module->file);
    *module = (hsi_module){.file = NULL};
}
