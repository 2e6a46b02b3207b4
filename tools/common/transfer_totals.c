/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/transfer_totals.h"

transfer_totals transfer_totals_of(const hs_instance *in, const hs_transfer *list, size_t count)
{
    transfer_totals sum = {.count = {0, 0}};
    const size_t    hosts = hs_instance_nodes(in);

    for (size_t i = 0; i < count; i++) {
        hs_type to = list[i].to < hosts ? HS_CPU : HS_GPU;

        sum.count[to]++;
        sum.bytes[to] += list[i].bytes;
    }
    return sum;
}

bool transfer_totals_exist(const transfer_totals *c)
{
    return c->count[HS_CPU] + c->count[HS_GPU] > 0;
}
