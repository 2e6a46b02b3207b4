/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/device/modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

#include "core/error.h"
#include "exec/device/emulated/emulated.h"
#include "exec/machine/module.h"

struct hsi_device_modules {
    char              *text; /* the list, cut into names and selections */
    hsi_device_choice *devices;
    unsigned           count;
};

/* Return the length of the first module of a list: up to a comma behind which a module begins. */
static size_t length_of_first(const char *list)
{
    size_t length = strcspn(list, ",");

    while (list[length]) {
        const char *next = list + length + 1;

        if (next[strcspn(next, ",:=")] != '=')
            return length;
        length += 1 + strcspn(next, ",");
    }
    return length;
}

static const hs_device_ops *ops_of_file(void *file)
{
    hs_device_module_function *entry;

    *(void **)&entry = dlsym(file, HS_DEVICE_MODULE_SYMBOL);
    return entry ? entry(HS_DEVICE_ABI) : NULL;
}

/* Return whether a name is that of a shared library, which is searched like an installed module. */
static bool is_library(const char *name)
{
    size_t length = strlen(name);

    return length > 3 && strcmp(name + length - 3, ".so") == 0;
}

/* Find the table of a module by its name or file. */
static hs_status find_ops(const char *name, const hs_device_ops **out, hs_error *error)
{
    char  file[300];
    bool  is_file = strchr(name, '/') || is_library(name);
    void *opened;

    if (strcmp(name, hsi_device_emulated.name) == 0) {
        *out = &hsi_device_emulated;
        return HS_OK;
    }
    if (!*name || strlen(name) > 256)
        return hsi_error_set(error, HS_EINVAL,
                             "a module in the list of modules has no name or a name of more than "
                             "256 bytes: a list is like cuda,opencl:all");
    if (strchr(name, '=') && !hsi_module_is_file(name))
        return hsi_error_set(error, HS_EINVAL,
                             "'%.100s' in the list of modules has settings without a colon before "
                             "them: write emulated:devices=2",
                             name);
    snprintf(file, sizeof file, is_file ? "%s" : "hybridsched-%s.so", name);
    opened = hsi_module_load(file);
    if (!opened)
        return hsi_error_set(error, HS_ERESOURCE, "the module '%.100s' cannot be opened (%.300s)",
                             name, dlerror());
    *out = ops_of_file(opened);
    dlclose(opened); /* the file stays loaded */
    if (*out)
        return HS_OK;
    return hsi_error_set(error, HS_ERESOURCE,
                         "the module '%.100s' is for another version of the library, or drives no "
                         "devices",
                         name);
}

/* Return true if one of the first `count` devices has this PCI address. */
static bool is_listed(const hsi_device_modules *m, unsigned count, const char *pci)
{
    for (unsigned i = 0; pci[0] && i < count; i++)
        if (strcmp(m->devices[i].info.pci, pci) == 0)
            return true;
    return false;
}

static hs_status add_devices(hsi_device_modules *m, const hs_device_ops *ops, const char *which,
                             const hs_device_info *info, unsigned count)
{
    const unsigned     before = m->count;
    hsi_device_choice *more = realloc(m->devices, (before + count + 1) * sizeof *more);

    if (!more)
        return HS_ENOMEM;
    m->devices = more;
    for (unsigned i = 0; i < count; i++)
        if (!is_listed(m, before, info[i].pci))
            m->devices[m->count++] = (hsi_device_choice){ops, which, i, info[i]};
    return HS_OK;
}

static hs_status add_module(hsi_device_modules *m, const char *name, const char *which,
                            hs_error *error)
{
    const hs_device_ops *ops = NULL;
    hs_device_info      *info = NULL;
    unsigned             room = 0, count = 0;
    hs_status            st = find_ops(name, &ops, error);

    if (st == HS_OK)
        st = ops->list(which, NULL, 0, &room, error);
    if (st == HS_OK)
        info = calloc(room + 1, sizeof *info);
    if (st == HS_OK && !info)
        st = HS_ENOMEM;
    if (st == HS_OK)
        st = ops->list(which, info, room, &count, error);
    if (st == HS_OK)
        st = add_devices(m, ops, which, info, count < room ? count : room);
    free(info);
    return st;
}

/* Cut the list into modules and add each. */
static hs_status add_list(hsi_device_modules *m, char *list, hs_error *error)
{
    hs_status st = HS_OK;
    bool      more = true;

    if (hsi_module_is_file(list))
        return add_module(m, list, NULL, error);
    while (more && st == HS_OK) {
        size_t length = length_of_first(list);
        char  *which;

        more = list[length] == ',';
        list[length] = '\0';
        which = strchr(list, ':');
        if (which)
            *which++ = '\0';
        st = add_module(m, list, which, error);
        list += length + 1;
    }
    return st;
}

/* Add the devices of the first usual module that has one. *error names what the last one lacks. */
static hs_status add_usual(hsi_device_modules *m, hs_error *error)
{
    hs_status st = add_module(m, "cuda", NULL, error);

    return st == HS_ERESOURCE ? add_module(m, "opencl", NULL, error) : st;
}

hs_status hsi_device_modules_open(const char *list, hsi_device_modules **out, hs_error *error)
{
    hsi_device_modules *m = calloc(1, sizeof *m);
    hs_status           st = HS_OK;

    if (!m)
        return HS_ENOMEM;
    if (list && !(m->text = strdup(list)))
        st = HS_ENOMEM;
    if (st == HS_OK)
        st = list ? add_list(m, m->text, error) : add_usual(m, error);
    if (st == HS_OK)
        *out = m;
    else
        hsi_device_modules_close(m);
    return st;
}

void hsi_device_modules_close(hsi_device_modules *m)
{
    if (!m)
        return;
    free(m->devices);
    free(m->text);
    free(m);
}

const hsi_device_choice *hsi_device_modules_devices(const hsi_device_modules *m, unsigned *count)
{
    *count = m->count;
    return m->devices;
}

hs_status hsi_device_choice_operations(const hsi_device_choice *devices, unsigned count,
                                       uint32_t operations[2], hs_error *error)
{
    operations[0] = operations[1] = UINT32_MAX;
    for (unsigned i = 0; i < count; i++) {
        hs_device *device = NULL;
        hs_status  st = devices[i].ops->open(devices[i].which, devices[i].index, &device, error);

        if (st != HS_OK)
            return st;
        operations[0] &= device->operations[0];
        operations[1] &= device->operations[1];
        devices[i].ops->close(device);
    }
    return HS_OK;
}
