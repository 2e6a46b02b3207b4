/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/machine/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

#include <hybridsched/exec.h>

#include "exec/machine/limits.h"

struct hsi_topology {
    unsigned cores, threads; /* what may be used of them */
    unsigned count;          /* of `cpu` */
    int      cpu[];
};

/* A set of processors by OS number, however many there are. */
typedef struct mask {
    cpu_set_t *set;
    size_t     bytes;
    unsigned   room;
} mask;

static int mask_make(mask *m, unsigned room)
{
    m->room = room;
    m->bytes = CPU_ALLOC_SIZE(room);
    m->set = CPU_ALLOC(room);
    if (!m->set)
        return -1;
    CPU_ZERO_S(m->bytes, m->set);
    return 0;
}

/* The calling thread's own. EINVAL: the kernel's is larger. */
static hs_status mask_read(mask *m)
{
    unsigned room;

    for (room = 1024; room <= 1u << 20; room *= 2) {
        if (mask_make(m, room))
            return HS_ENOMEM;
        if (sched_getaffinity(0, m->bytes, m->set) == 0)
            return HS_OK;
        CPU_FREE(m->set);
        if (errno != EINVAL)
            break;
    }
    m->set = NULL;
    return HS_ERESOURCE;
}

static int mask_has(const mask *m, unsigned cpu)
{
    return cpu < m->room && CPU_ISSET_S(cpu, m->bytes, m->set);
}

/* Move a processor from the mask to the end of the list. */
static void take(hsi_topology *t, mask *m, unsigned cpu)
{
    if (!mask_has(m, cpu))
        return;
    CPU_CLR_S(cpu, m->bytes, m->set);
    t->cpu[t->count++] = (int)cpu;
}

#ifdef HAVE_HWLOC
/* The first thread of each core that is in the mask still. */
static void take_round(hsi_topology *t, mask *m, hwloc_topology_t machine)
{
    hwloc_obj_t core = NULL;
    unsigned    before;
    int         cpu;

    while ((core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core))) {
        before = t->count;
        for (cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0 && t->count == before;
             cpu = hwloc_bitmap_next(core->cpuset, cpu))
            take(t, m, (unsigned)cpu);
    }
}

static void take_cores(hsi_topology *t, mask *m)
{
    hwloc_topology_t machine;
    unsigned         before;

    if (hwloc_topology_init(&machine))
        return;
    if (hwloc_topology_load(machine) == 0) {
        take_round(t, m, machine);
        t->cores = t->count;
        do {
            before = t->count;
            take_round(t, m, machine);
        } while (t->count > before);
    }
    hwloc_topology_destroy(machine);
}
#else
static void take_cores(hsi_topology *t, mask *m)
{
    (void)t;
    (void)m;
}
#endif

static unsigned limited(unsigned count, double limit)
{
    if (limit == 0 || count <= limit)
        return count;
    return limit < 1 ? 1 : (unsigned)limit;
}

hs_status hsi_topology_open(hsi_topology **out, char why[HS_WHY])
{
    mask          m;
    hsi_topology *t;
    unsigned      cpu;
    double        limit = hsi_limit_cpus();
    hs_status     st = mask_read(&m);

    if (st != HS_OK) {
        snprintf(why, HS_WHY, "the affinity mask of this process cannot be read: %s",
                 strerror(errno));
        return st;
    }
    t = calloc(1, sizeof *t + sizeof *t->cpu * (size_t)CPU_COUNT_S(m.bytes, m.set));
    if (!t) {
        CPU_FREE(m.set);
        snprintf(why, HS_WHY, "out of memory");
        return HS_ENOMEM;
    }
    take_cores(t, &m);
    for (cpu = 0; cpu < m.room; cpu++) /* what hwloc does not know */
        take(t, &m, cpu);
    CPU_FREE(m.set);
    t->cores = limited(t->cores ? t->cores : t->count, limit);
    t->threads = limited(t->count, limit);
    *out = t;
    return HS_OK;
}

void hsi_topology_close(hsi_topology *topology)
{
    free(topology);
}

unsigned hsi_topology_cores(const hsi_topology *topology)
{
    return topology->cores;
}

unsigned hsi_topology_threads(const hsi_topology *topology)
{
    return topology->threads;
}

int hsi_topology_cpu(const hsi_topology *topology, unsigned index)
{
    return index < topology->count ? topology->cpu[index] : -1;
}

hs_status hsi_topology_bind(const hsi_topology *topology, int os_cpu)
{
    mask m;
    int  failed;

    (void)topology;
    if (os_cpu < 0)
        return HS_EINVAL;
    if (mask_make(&m, (unsigned)os_cpu + 1))
        return HS_ENOMEM;
    CPU_SET_S((size_t)os_cpu, m.bytes, m.set);
    failed = sched_setaffinity(0, m.bytes, m.set);
    CPU_FREE(m.set);
    return failed ? HS_ERESOURCE : HS_OK;
}

unsigned hs_exec_cores(void)
{
    hsi_topology *topology;
    char          why[HS_WHY];
    unsigned      cores = 1;

    if (hsi_topology_open(&topology, why) != HS_OK)
        return cores;
    cores = hsi_topology_cores(topology);
    hsi_topology_close(topology);
    return cores;
}
