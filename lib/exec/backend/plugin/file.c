/* SPDX-License-Identifier: BSD-3-Clause */
/* Plugin files: functions and declared access modes. */
#include "exec/backend/plugin/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"

static const char prefix[] = "plugin:";

bool hsi_plugin_is_kernel(const hs_task *row)
{
    return row->kernel && strncmp(row->kernel, prefix, strlen(prefix)) == 0;
}

hs_status hsi_plugin_allow(const hs_backend_options *options, const hs_task *row, hs_error *error)
{
    bool named = row->id && row->id[0] != '\0';

    if (options->allow_plugins)
        return HS_OK;
    return hsi_error_set(error, HS_EREFUSED,
                         "%s%.48s runs %.200s: use settings.run.allow_plugins if you trust the "
                         "plan",
                         named ? "task " : "a task", named ? row->id : "", row->kernel);
}

/* Split a kernel into path and symbol. A file name without a slash is a file in the working
 * directory: no search path is used. */
static hs_status split_kernel(const char *kernel, hsi_plugin *out, hs_error *error)
{
    const char *file = kernel + strlen(prefix);
    const char *colon = strrchr(file, ':');
    const char *folder = strchr(file, '/') ? "" : "./";
    size_t      bytes = strlen(folder) + strlen(file) + 1;

    if (!colon || colon == file || colon[1] == '\0')
        return hsi_error_set(error, HS_EINVAL, "kernel '%.200s': expected plugin:FILE.so:SYMBOL",
                             kernel);
    out->path = malloc(bytes);
    if (!out->path)
        return HS_ENOMEM;
    snprintf(out->path, bytes, "%s%s", folder, file);
    out->symbol = strrchr(out->path, ':');
    *out->symbol++ = '\0';
    return HS_OK;
}

static hs_status check_abi(void *file, const char *name, hs_error *error)
{
    const unsigned *abi = dlsym(file, "hs_plugin_abi");

    if (!abi)
        return hsi_error_set(error, HS_EINVAL,
                             "%.300s is not a plugin: add the line HS_PLUGIN_FILE; to its source",
                             name);
    if (*abi != HS_PLUGIN_ABI)
        return hsi_error_set(
            error, HS_EINVAL,
            "%.300s was compiled for version %u of the plugin interface, and this is "
            "version %u: compile it again",
            name, *abi, HS_PLUGIN_ABI);
    return HS_OK;
}

static hs_status look_at(const char *path, hs_error *error)
{
    if (access(path, R_OK) == 0)
        return HS_OK;
    return hsi_error_set(error, HS_ERESOURCE, "cannot open the plugin: %.300s: %s", path,
                         strerror(errno));
}

hs_status hsi_plugin_open(const hs_task *row, bool dry_run, hsi_plugin *out, hs_error *error)
{
    hs_status st;

    *out = (hsi_plugin){.file = NULL};
    st = split_kernel(row->kernel, out, error);
    if (st != HS_OK || dry_run)
        return st == HS_OK ? look_at(out->path, error) : st;
    out->file = dlopen(out->path, RTLD_NOW | RTLD_LOCAL);
    if (!out->file)
        return hsi_error_set(error, HS_ERESOURCE, "cannot open the plugin: %.480s", dlerror());
    return check_abi(out->file, out->path, error);
}

void hsi_plugin_close(hsi_plugin *plugin)
{
    free(plugin->path);
    if (plugin->file)
        dlclose(plugin->file);
    *plugin = (hsi_plugin){.file = NULL};
}

static void *look_up(const hsi_plugin *plugin, const char *suffix)
{
    char name[256];

    return snprintf(name, sizeof name, "%s%s", plugin->symbol, suffix) < (int)sizeof name
               ? dlsym(plugin->file, name)
               : NULL;
}

hs_plugin_function *hsi_plugin_find(const hsi_plugin *plugin, const char *suffix)
{
    hs_plugin_function *function;

    *(void **)&function = look_up(plugin, suffix);
    return function;
}

/* Write modes as the column `data` has them, separated by commas. */
static void list_modes(const uint32_t *modes, size_t count, char *text, size_t size)
{
    static const char *const name[] = {"none", "r", "w", "rw"};
    size_t                   used = 0, i;

    text[0] = '\0';
    for (i = 0; i < count && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", name[modes[i] & 3]);
}

static size_t count_modes(const uint32_t *modes)
{
    size_t count = 0;

    while (modes && modes[count] != HS_PLUGIN_MODES_END)
        count++;
    return count;
}

static bool have_equal_modes(const uint32_t *modes, const hsi_buffers *buffers, size_t number,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (modes[i] != hsi_buffers_mode(buffers, number, i))
            return false;
    return true;
}

hs_status hsi_plugin_check_modes(const hsi_plugin *plugin, const hsi_buffers *buffers,
                                 size_t number, const hs_task *row, hs_error *error)
{
    enum { SHOWN = 16 };
    const char     *task = row->id && *row->id ? row->id : "without a name";
    const uint32_t *modes = look_up(plugin, "_modes");
    size_t          declared = count_modes(modes), shown = 0;
    size_t          named_count = buffers ? hsi_buffers_count(buffers, number) : 0;
    uint32_t        named[SHOWN];
    char            declares[64], names[64];

    if (declared == named_count && have_equal_modes(modes, buffers, number, declared))
        return HS_OK;
    if (!modes)
        return hsi_error_set(error, HS_EDEPENDENT,
                             "task %.100s uses data, and %.150s does not declare how: add the line "
                             "HS_PLUGIN_MODES(%.100s, ...) to its source",
                             task, plugin->path, plugin->symbol);
    list_modes(modes, declared, declares, sizeof declares);
    if (!buffers)
        return hsi_error_set(
            error, HS_EDEPENDENT,
            "task %.100s gets no data, and %.100s in %.100s uses data as %s: name it in the column "
            "data; beside a factorisation, GPUs have no data of plugins",
            task, plugin->symbol, plugin->path, declares);
    for (; shown < named_count && shown < SHOWN; shown++)
        named[shown] = hsi_buffers_mode(buffers, number, shown);
    list_modes(named, shown, names, sizeof names);
    return hsi_error_set(error, HS_EDEPENDENT,
                         "task %.100s uses data as %s, and %.100s in %.100s as %s: change the "
                         "column data or HS_PLUGIN_MODES",
                         task, names, plugin->symbol, plugin->path, declares);
}
