/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/backend/backends.h"

const char *hsi_backend_defect(const hs_backend *backend)
{
    if (!backend || backend->struct_size < sizeof *backend)
        return "it is for another version of the library";
    if (!backend->name)
        return "it has no name";
    if (!backend->body_create)
        return "it has no body_create()";
    if (!backend->run)
        return "it has no run()";
    if (!backend->worker_open != !backend->worker_close)
        return "it has one of worker_open() and worker_close()";
    if (!backend->depth != !backend->submit || !backend->depth != !backend->collect)
        return "it has some of depth(), submit() and collect()";
    return NULL;
}
