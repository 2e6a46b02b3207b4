/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_TASK_DIGEST_H
#define HSI_CORE_TASK_DIGEST_H

#include <stdbool.h>

#include <hybridsched/instance.h>

#include "core/digest.h"

/* Return the digest of a command or of a kernel, whose texts may be equal. */
static inline uint64_t hsi_digest_implementation(bool is_command, const char *text)
{
    return hsi_digest_finish(
        hsi_digest_string(hsi_digest_number(HSI_FNV_BASIS, (uint64_t)is_command, 1), text));
}

/* Return the digest of a row's command for the type, or of its kernel without a command. */
static inline uint64_t hsi_task_digest_implementation(const hs_task *row, hs_type type)
{
    const char *command = type == HS_CPU ? row->cpu_command : row->gpu_command;

    return command && *command ? hsi_digest_implementation(true, command)
                               : hsi_digest_implementation(false, row->kernel);
}

#endif
