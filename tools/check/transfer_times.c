/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of transfers, from the instance's links; hsched-certificates(5) defines their rounding. */
#include "check/transfer_times.h"

enum { LOOK = 16 }; /* steps counted for each edge that is visited */

hs_status transfer_times_open(transfer_times *t, const hs_instance *in)
{
    static const double units[] = {1, 1e3, 1e6, 1e9}; /* per second, by hs_unit */

    *t = (transfer_times){.in = in, .second = units[hs_instance_unit(in)]};
    t->has_links =
        hs_instance_link(in, HS_H2D, &t->latency[HS_GPU], &t->bandwidth[HS_GPU]) &&
        hs_instance_link(in, HS_D2H, &t->latency[HS_CPU], &t->bandwidth[HS_CPU]);
    return hs_instance_graph(in, &t->g);
}

double transfer_time_to(const transfer_times *t, int type, double bytes)
{
    return t->has_links && bytes > 0
               ? t->latency[type] + bytes * t->second / t->bandwidth[type]
               : 0;
}

/* Raise *bytes to the largest piece on a path from a task to a vertex through barriers only, whose
 * later edges carry up to `most` bytes. */
static bool follow_barriers(const transfer_times *t, uint32_t from, uint32_t vertex, double most,
                            limits *l, double *bytes)
{
    size_t          count, tasks = hs_instance_tasks(t->in);
    const double   *piece;
    const uint32_t *before = hs_graph_predecessors(t->g, vertex, &count, &piece);

    if (!limits_allow(l, LOOK * (1 + (uint64_t)count)))
        return false;
    for (size_t i = 0; i < count; i++) {
        double larger = piece && piece[i] > most ? piece[i] : most;

        if (before[i] == from && larger > *bytes)
            *bytes = larger;
        if (before[i] >= tasks && !follow_barriers(t, from, before[i], larger, l, bytes))
            return false;
    }
    return true;
}

bool transfer_bytes(const transfer_times *t, uint32_t from, uint32_t to, limits *l, double *bytes)
{
    size_t           count;
    const hs_access *access = hs_graph_accesses(t->g, to, &count);

    *bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ && access[i].writer == from &&
            hs_instance_handle_bytes(t->in, access[i].data) > *bytes)
            *bytes = hs_instance_handle_bytes(t->in, access[i].data);
    return limits_allow(l, LOOK * (uint64_t)count) && follow_barriers(t, from, to, 0, l, bytes);
}

double transfer_first_bytes(const transfer_times *t, uint32_t task)
{
    size_t           count;
    const hs_access *access = hs_graph_accesses(t->g, task, &count);
    double           bytes = 0;

    for (size_t i = 0; i < count; i++)
        if (access[i].mode & HS_READ && access[i].writer == HS_NONE &&
            hs_instance_handle_bytes(t->in, access[i].data) > bytes)
            bytes = hs_instance_handle_bytes(t->in, access[i].data);
    return bytes;
}
