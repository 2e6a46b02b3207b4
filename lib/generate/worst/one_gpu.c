/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate/worst/worst.h"

/* Return a Fibonacci number; consecutive ones replace the powers of the golden ratio. */
static uint64_t fibonacci(unsigned index)
{
    uint64_t now = 0, next = 1, sum;

    while (index--) {
        sum = now + next;
        now = next;
        next = sum;
    }
    return now;
}

static void workers_1_1(unsigned argument, unsigned *cpus, unsigned *gpus)
{
    (void)argument;
    *cpus = *gpus = 1;
}

/* For odd j, Y is slightly more accelerated: the GPU takes Y and leaves X to the CPU. */
static void write_1_1(unsigned j, hsi_worst_case *c)
{
    uint64_t shortest = fibonacci(j - 1), middle = fibonacci(j), longest = fibonacci(j + 1);
    uint32_t x = hsi_worst_add_tasks(c, "X", longest, middle, 0, 1);
    uint32_t y = hsi_worst_add_tasks(c, "Y", middle, shortest, 0, 1);

    hsi_worst_add_run(c, c->witness, 0, 0, middle, y);
    hsi_worst_add_run(c, c->witness, 1, 0, middle, x);
}

const hs_worst hsi_worst_hp_1_1 = {
    "hp-1-1",
    "HeteroPrio on 1 CPU and 1 GPU, odd argument j: F(j+1)/F(j), towards 1.618 "
    "(Beaumont, Eyraud-Dubois, Kumar 2017, Theorem 8)",
    3, 75, 2, /* all times sum to F(j+2); F(78) < 2^53 */
    workers_1_1, write_1_1,
};

static void workers_m_1(unsigned argument, unsigned *cpus, unsigned *gpus)
{
    *cpus = argument;
    *gpus = 1;
}

/* CPUs filled one after another, each up to `capacity`. */
typedef struct filling {
    uint32_t worker;
    uint64_t load, capacity;
} filling;

static void fill(hsi_worst_case *c, filling *f, uint64_t time, uint32_t first, uint32_t count)
{
    for (; count--; first++) {
        if (f->load + time > f->capacity) {
            f->worker++;
            f->load = 0;
        }
        f->load = hsi_worst_add_run(c, c->witness, f->worker, f->load, time, first);
    }
}

/*
 * T3 keeps the CPUs busy, and T4 the GPU, until c4 * small; then the GPU takes T1 and a CPU takes
 * T2, which no spoliation improves. In the witness T2 has the GPU, T1 the first CPU, and T3 and T4
 * share the remaining CPUs: c4 leaves room for a `middle` per CPU, and filling the CPUs one by one
 * wastes less than this on each.
 */
static void write_m_1(unsigned m, hsi_worst_case *c)
{
    uint64_t large = fibonacci(22), middle = fibonacci(21), small = fibonacci(20);
    uint64_t s = 4 * (uint64_t)m, span = s * middle;
    uint32_t c4 = (uint32_t)(((m - 1) * span - m * middle) / (middle + m * small));
    uint32_t t1 = hsi_worst_add_tasks(c, "T1", span, s * small, 2, 1);
    uint32_t t2 = hsi_worst_add_tasks(c, "T2", s * large, span, 1, 1);
    uint32_t t4 = hsi_worst_add_tasks(c, "T4", middle, small, 3, c4);
    uint32_t t3 = hsi_worst_add_tasks(c, "T3", small, small, 0, m * c4);
    filling  rest = {1, 0, span};

    if (!c->witness)
        return;
    hsi_worst_add_run(c, c->witness, m, 0, span, t2);
    hsi_worst_add_run(c, c->witness, 0, 0, span, t1);
    fill(c, &rest, middle, t4, c4);
    fill(c, &rest, small, t3, m * c4);
}

const hs_worst hsi_worst_hp_m_1 = {
    "hp-m-1",
    "HeteroPrio on m CPUs and 1 GPU, argument m: towards 2.618 "
    "(Beaumont, Eyraud-Dubois, Kumar 2017, Theorem 11)",
    2, 18216, 1, /* 2^31 tasks; the times sum to 2^44 */
    workers_m_1, write_m_1,
};
