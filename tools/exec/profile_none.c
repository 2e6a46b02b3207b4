/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-exec in a build without SQLite: there are no profiles. */
#include <string.h>

#include "common/message.h"
#include "exec/exec.h"

bool exec_profile_is_supported(void)
{
    return false;
}

int exec_profile_open(const char *path, const exec_request *request, exec_profile **out)
{
    (void)request;
    *out = NULL;
    if (!path || strcmp(path, ":memory:") == 0)
        return EXIT_OK;
    message("--profile=%s: this build has no SQLite, so it keeps no profiles", path);
    return EXIT_USAGE;
}

hs_cost *exec_profile_known(exec_profile *p)
{
    (void)p;
    return NULL;
}

int exec_profile_begin(exec_profile *p, const exec_job *job)
{
    (void)p;
    (void)job;
    return EXIT_OK;
}

void exec_profile_attempt(exec_profile *p, const exec_job *job, const hs_exec_attempt *attempt)
{
    (void)p;
    (void)job;
    (void)attempt;
}

int exec_profile_close(exec_profile *p)
{
    (void)p;
    return EXIT_OK;
}
