/* SPDX-License-Identifier: BSD-3-Clause */
#include "factorisation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "suite.h"

enum { KERNELS = 64, KINDS = HS_QR + 1 };

hs_instance *factorisation(int kind, unsigned tiles, unsigned n, unsigned cpus, unsigned gpus)
{
    const hs_kernel_table *known = hs_kernel_table_find("v100-1600");
    hs_kernel              kernels[KERNELS];
    static char            name[KERNELS][32];
    hs_kernel_table        table = *known;
    hs_tiled               spec = {.struct_size = sizeof spec,
                                   .kind = (hs_factorisation)(kind % KINDS),
                                   .single = kind >= KINDS,
                                   .tiles = tiles,
                                   .cpus = cpus,
                                   .gpus = gpus,
                                   .graph = 1,
                                   .table = &table};
    hs_instance           *in = NULL;

    ck_assert_uint_le(known->count, KERNELS);
    for (size_t i = 0; i < known->count; i++) {
        kernels[i] = known->kernels[i];
        snprintf(name[i], sizeof name[i], "%.*s:%u", (int)strcspn(kernels[i].kernel, ":"),
                 kernels[i].kernel, n);
        kernels[i].kernel = name[i];
        kernels[i].cpu *= pow(n / 1600.0, 3);
        kernels[i].gpu *= pow(n / 1600.0, 3);
    }
    table.kernels = kernels;
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    return in;
}
