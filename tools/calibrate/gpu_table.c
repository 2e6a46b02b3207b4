/* SPDX-License-Identifier: BSD-3-Clause */
/* hsched-calibrate: GPU times from a kernel table. */
#include <math.h>
#include <string.h>

#include "calibrate/calibrate.h"

/* Return the first kernel of the table with this name; `whole`: with the same size too. */
static const hs_kernel *find(const hs_kernel_table *table, const char *name, bool whole)
{
    size_t length = whole ? strlen(name) + 1 : strcspn(name, ":");

    for (size_t i = 0; i < table->count; i++) {
        const char *kernel = table->kernels[i].kernel;

        if (strncmp(kernel, name, length) == 0 && (whole || strcspn(kernel, ":") == length))
            return &table->kernels[i];
    }
    return NULL;
}

static double by_time(const hs_kernel_table *table, const calibrate_kernel *kernel)
{
    const hs_kernel *known = find(table, kernel->name, true);

    return known ? known->gpu * hs_unit_seconds(table->unit) : INFINITY;
}

/* Return the CPU time over the kernel's acceleration in the table, if necessary at another size. */
static double by_ratio(const hs_kernel_table *table, const calibrate_kernel *kernel)
{
    const hs_kernel *known = find(table, kernel->name, true);

    if (!known)
        known = find(table, kernel->name, false);
    return known && isfinite(known->cpu) ? kernel->median * (known->gpu / known->cpu) : INFINITY;
}

double calibrate_gpu(const calibrate_request *request, const calibrate_kernel *kernel)
{
    if (!request->gpu)
        return INFINITY;
    return request->by_ratio ? by_ratio(request->gpu, kernel) : by_time(request->gpu, kernel);
}
