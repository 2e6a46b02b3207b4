/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "exec/machine/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_HWLOC
#include <hwloc.h>
#endif

#include <hybridsched/exec.h>

#include "core/error.h"
#include "exec/machine/limits.h"

struct hsi_topology {
#ifdef HAVE_HWLOC
    hwloc_topology_t machine; /* NULL: hwloc has failed */
#endif
    unsigned cores, threads; /* processors that may be used */
    unsigned count;          /* length of `cpu` */
    int      cpu[];
};

/* A set of processors by OS number, of any size. */
typedef struct mask {
    cpu_set_t *set;
    size_t     bytes;
    unsigned   room;
} mask;

static bool mask_make(mask *m, unsigned room)
{
    *m = (mask){CPU_ALLOC(room), CPU_ALLOC_SIZE(room), room};
    if (m->set)
        CPU_ZERO_S(m->bytes, m->set);
    return m->set != NULL;
}

/* Read the affinity mask of the calling thread. EINVAL means that the kernel's mask is larger: try
 * again. */
static hs_status mask_read(mask *m)
{
    unsigned room;

    for (room = 1024; room <= 1u << 20; room *= 2) {
        if (!mask_make(m, room))
            return HS_ENOMEM;
        if (sched_getaffinity(0, m->bytes, m->set) == 0)
            return HS_OK;
        CPU_FREE(m->set);
        if (errno != EINVAL)
            break;
    }
    return HS_ERESOURCE;
}

hs_status hsi_bind_thread(pid_t thread, const int *os_cpu, unsigned count)
{
    mask     m;
    unsigned i;
    int      failed, last = 0;

    for (i = 0; i < count; i++)
        last = os_cpu[i] > last ? os_cpu[i] : last;
    if (!mask_make(&m, (unsigned)last + 1))
        return HS_ENOMEM;
    for (i = 0; i < count; i++)
        CPU_SET_S((size_t)os_cpu[i], m.bytes, m.set);
    failed = sched_setaffinity(thread, m.bytes, m.set);
    CPU_FREE(m.set);
    return failed ? HS_ERESOURCE : HS_OK;
}

/* Move a processor from the mask to the end of the list. */
static void take(hsi_topology *t, mask *m, unsigned cpu)
{
    if (cpu >= m->room || !CPU_ISSET_S(cpu, m->bytes, m->set))
        return;
    CPU_CLR_S(cpu, m->bytes, m->set);
    t->cpu[t->count++] = (int)cpu;
}

#ifdef HAVE_HWLOC
/* Keep PCI devices, which show where GPUs are; the drivers' libraries would cost time and permanent
 * memory. */
static void ask_for_devices(hwloc_topology_t machine)
{
    static const char *const drivers[] = {"opencl", "gl", "cuda", "nvml", "rsmi", "levelzero"};

    hwloc_topology_set_io_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        hwloc_topology_set_components(machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                      drivers[i]);
}

/* Take the first remaining thread of each core from the mask. */
static void take_round(hsi_topology *t, mask *m)
{
    hwloc_obj_t core = NULL;
    unsigned    before;
    int         cpu;

    while ((core = hwloc_get_next_obj_by_type(t->machine, HWLOC_OBJ_CORE, core))) {
        before = t->count;
        for (cpu = hwloc_bitmap_first(core->cpuset); cpu >= 0 && t->count == before;
             cpu = hwloc_bitmap_next(core->cpuset, cpu))
            take(t, m, (unsigned)cpu);
    }
}

static void take_cores(hsi_topology *t, mask *m, bool devices)
{
    unsigned before;

    if (hwloc_topology_init(&t->machine))
        return;
    if (devices)
        ask_for_devices(t->machine);
    if (hwloc_topology_load(t->machine)) {
        hwloc_topology_destroy(t->machine);
        t->machine = NULL;
        return;
    }
    take_round(t, m);
    t->cores = t->count;
    do {
        before = t->count;
        take_round(t, m);
    } while (t->count > before);
}

void hsi_topology_close(hsi_topology *topology)
{
    if (topology && topology->machine)
        hwloc_topology_destroy(topology->machine);
    free(topology);
}

static hwloc_const_bitmap_t near_device(const hsi_topology *t, const char *pci)
{
    hwloc_obj_t device = t->machine ? hwloc_get_pcidev_by_busidstring(t->machine, pci) : NULL;

    return device ? hwloc_get_non_io_ancestor_obj(t->machine, device)->cpuset : NULL;
}

bool hsi_topology_is_near(const hsi_topology *topology, const char *pci, int os_cpu)
{
    hwloc_const_bitmap_t set = near_device(topology, pci);

    return set && hwloc_bitmap_isset(set, (unsigned)os_cpu);
}

void hsi_topology_list_near(const hsi_topology *topology, const char *pci, char *text, size_t size)
{
    hwloc_const_bitmap_t set = near_device(topology, pci);

    text[0] = '\0';
    if (set)
        hwloc_bitmap_list_snprintf(text, size, set);
}
#else
static void take_cores(hsi_topology *t, mask *m, int devices)
{
    (void)t, (void)m, (void)devices;
}

void hsi_topology_close(hsi_topology *topology)
{
    free(topology);
}

bool hsi_topology_is_near(const hsi_topology *topology, const char *pci, int os_cpu)
{
    (void)topology, (void)pci, (void)os_cpu;
    return false;
}

void hsi_topology_list_near(const hsi_topology *topology, const char *pci, char *text, size_t size)
{
    (void)topology, (void)pci, (void)size;
    text[0] = '\0';
}
#endif

static unsigned limited(unsigned count, double limit)
{
    if (limit == 0 || count <= limit)
        return count;
    return limit < 1 ? 1 : (unsigned)limit;
}

hs_status hsi_topology_open(hsi_topology **out, bool devices, hs_error *error)
{
    mask          m;
    hsi_topology *t;
    unsigned      cpu;
    double        limit = hsi_cpu_limit();
    hs_status     st = mask_read(&m);

    if (st != HS_OK)
        return hsi_error_set(error, st, "the affinity mask of this process cannot be read: %s",
                             strerror(errno));
    t = calloc(1, sizeof *t + sizeof *t->cpu * (size_t)CPU_COUNT_S(m.bytes, m.set));
    if (!t) {
        CPU_FREE(m.set);
        return HS_ENOMEM;
    }
    take_cores(t, &m, devices);
    for (cpu = 0; cpu < m.room; cpu++) /* processors unknown to hwloc */
        take(t, &m, cpu);
    CPU_FREE(m.set);
    t->cores = limited(t->cores ? t->cores : t->count, limit);
    t->threads = limited(t->count, limit);
    *out = t;
    return HS_OK;
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

unsigned hs_exec_core_count(void)
{
    hsi_topology *topology;
    hs_error      error;
    unsigned      cores;

    if (hsi_topology_open(&topology, false, &error) != HS_OK)
        return 1;
    cores = hsi_topology_cores(topology);
    hsi_topology_close(topology);
    return cores;
}
