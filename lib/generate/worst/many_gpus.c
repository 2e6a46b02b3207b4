/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate/worst/worst.h"

/* hp-m-n (Theorem 14): workers 0 .. n*n-1 are the CPUs, the next n = 6K workers are the GPUs. */

#define B UINT64_C(1000) /* the denominator of r */

static void workers_m_n(unsigned k, unsigned *cpus, unsigned *gpus)
{
    *gpus = 6 * k;
    *cpus = *gpus * *gpus;
}

/*
 * Return the largest a for which r = a/B has n/r + 2n - 1 >= nr/3, that is 3nB^2 + 3(2n - 1)aB >=
 * na^2: for a larger r a later GPU could improve the last task of T2. The root is below 3 + 2
 * sqrt(3) < 6.5.
 */
static uint64_t numerator(uint64_t n)
{
    uint64_t low = 0, high = 13 * B / 2;

    while (high - low > 1) {
        uint64_t a = low + (high - low) / 2;

        if (3 * n * B * B + 3 * (2 * n - 1) * a * B >= n * a * a)
            low = a;
        else
            high = a;
    }
    return low;
}

/* The sizes of the instance in the notation of the paper, and the first task of each set. */
typedef struct sizes {
    uint32_t      n, m, x;
    uint64_t      a, u; /* r = a/B; u = aB is the unit of time */
    uint32_t      t1, t3, t4;
    hsi_gpu_tasks t2;
} sizes;

static void add_tasks(sizes *z, unsigned k, hsi_worst_case *c)
{
    workers_m_n(k, &z->m, &z->n);
    z->a = numerator(z->n);
    z->u = z->a * B;
    z->x = (uint32_t)((uint64_t)(z->m - z->n) * (z->n - 1) * B / (z->m * B + z->n * z->a));
    z->t1 = hsi_worst_add_tasks(c, "T1", z->n * z->u, z->n * B * B, 1000000, z->n);
    z->t2.k = k;
    z->t2.unit = z->u;
    hsi_gpu_tasks_add(&z->t2, c, 2 * k * z->a * z->a, 100000);
    z->t3 = hsi_worst_add_tasks(c, "T3", z->u, z->u, 0, z->m * z->x);
    z->t4 = hsi_worst_add_tasks(c, "T4", z->a * z->a, z->u, 2000000, z->n * z->x);
}

/*
 * Fill a CPU with tasks of T4, then of T3, until no further T3 task fits: the load is above (n -
 * 1)u, which suffices by the choice of x.
 */
static void fill_cpu(const sizes *z, hsi_worst_case *c, uint32_t cpu, uint32_t *t3, uint32_t *t4)
{
    uint64_t load = 0, end = z->n * z->u;

    while (*t4 < z->n * z->x && load + z->a * z->a <= end)
        load = hsi_worst_add_run(c, c->witness, cpu, load, z->a * z->a, z->t4 + (*t4)++);
    while (*t3 < z->m * z->x && load + z->u <= end)
        load = hsi_worst_add_run(c, c->witness, cpu, load, z->u, z->t3 + (*t3)++);
}

/* Place T2 optimally on the GPUs, T1 on equally many CPUs, T3 and T4 on the remaining CPUs. */
static void write_m_n(unsigned k, hsi_worst_case *c)
{
    sizes    z;
    uint32_t cpu, t3 = 0, t4 = 0;

    add_tasks(&z, k, c);
    if (!c->witness)
        return;
    hsi_gpu_tasks_place_optimally(&z.t2, c, z.m);
    for (cpu = 0; cpu < z.n; cpu++)
        hsi_worst_add_run(c, c->witness, cpu, 0, z.n * z.u, z.t1 + cpu);
    for (; cpu < z.m; cpu++)
        fill_cpu(&z, c, cpu, &t3, &t4);
}

const hs_worst hsi_worst_hp_m_n = {
    "hp-m-n",
    "HeteroPrio on 36K^2 CPUs and 6K GPUs, argument K: towards 3.155 "
    "(Beaumont, Eyraud-Dubois, Kumar 2017, Theorem 14)",
    1,
    166,
    1, /* K = 166: 10^6 CPUs, and times with the sum 0.72 * 2^53, of at most 2^53 */
    workers_m_n,
    write_m_n,
};
