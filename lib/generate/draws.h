/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GENERATE_DRAWS_H
#define HSI_GENERATE_DRAWS_H

#include <hybridsched/generate.h>

#include "support/random.h"

/* One time drawn from whatever `law` says. */
typedef double (*hsi_draw)(const void *law, hsi_random *random);

/*
 * What the families of independent random times have in common: the times of a
 * type are drawn from the seed's stream of that type, so that neither the other
 * type's law nor the number of tasks that follow changes them. HS_EOVERFLOW: a
 * time is not a finite number.
 */
hs_status hsi_generate_draws(size_t tasks, unsigned cpus, unsigned gpus, uint64_t seed,
                             hsi_draw draw, const void *cpu_law, const void *gpu_law,
                             const char *command, hs_instance **out);

#endif
