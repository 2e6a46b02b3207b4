/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BEST_FILLING_H
#define HSI_REFINE_BEST_FILLING_H

#include "refine/best/best.h"
#include "refine/completion.h"
#include "refine/packing/dive.h"

/* State of bin completion and dives, for instances that one type runs alone. */
struct hsi_filling {
    hsi_completion *completion; /* NULL: too many tasks */
    hs_type         type;
    unsigned        workers;
    double          grid;
    int64_t        *weight; /* time of each task, in multiples of `grid` */
    int64_t        *load;   /* load of each worker; scratch of regrouping */
    hsi_random      random;
    uint32_t       *worker; /* worker of each task, counted from the type's first one */
    int             few;    /* 1: few tasks per worker */

    int64_t  at; /* next capacity to try */
    uint64_t steps;
    unsigned round;
    double   seconds; /* time spent so far */
    uint64_t iterations;

    int       may_dive;
    hsi_dive *dive;    /* NULL: not created */
    int64_t   dive_at; /* capacity of the current dives */
    double    dive_seconds;
};

/* The share of the time or iterations that completion and dives each get before the first
 * annealing. */
#define HSI_FILLING_FIRST 0.05

/* Return the time limit in seconds, at most 20. */
double hsi_filling_time(const hsi_best *best);

/* hsi_filling_read() copies the best schedule's workers to f->worker; hsi_filling_take() offers
 * f->worker as a schedule. */
void      hsi_filling_read(const hsi_best *best, hsi_filling *f);
hs_status hsi_filling_take(hsi_best *best, hsi_filling *f);

/* Run dives for their part of the elapsed time. */
hs_status hsi_diving_slice(hsi_best *best, hsi_filling *f);
void      hsi_diving_close(hsi_filling *f);

#endif
