/* SPDX-License-Identifier: BSD-3-Clause */
/* The bodies that nodes run: shell commands, and emulated tasks. */
#include "exec/backend/remote/remote.h"

#include "core/error.h"
#include "exec/backend/backends.h"

static bool has(const char *text)
{
    return text && *text;
}

static hs_status refuse(const hs_task *row, hs_type type, hs_error *error)
{
    if (has(row->kernel))
        return hsi_error_set(error, HS_EINVAL,
                             "task %.64s has the kernel %.64s, and nodes run shell commands only: "
                             "use settings.run.emulate[HS_%s], or no settings.run.nodes",
                             row->id ? row->id : "without id", row->kernel,
                             type == HS_CPU ? "CPU" : "GPU");
    return hsi_error_set(error, HS_EINVAL,
                         "task %.64s has no command for %ss, and nodes run shell commands only: "
                         "add one, or set this time to inf",
                         row->id ? row->id : "without id", type == HS_CPU ? "CPU" : "GPU");
}

hs_status hsi_remote_body_create(const hs_backend_options *options, const hs_task *row,
                                 hs_type type, hs_body **out, hs_error *error)
{
    hs_status st = hsi_backend_command.body_create(options, row, type, out, error);

    if (st != HS_OK || *out)
        return st;
    if (type == HS_GPU && !options->emulate[HS_GPU])
        return refuse(row, type, error);
    st = hsi_backend_emulated.body_create(options, row, type, out, error);
    return st == HS_OK && !*out ? refuse(row, type, error) : st;
}
