/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BEST_FILLING_H
#define HSI_REFINE_BEST_FILLING_H

#include "refine/best/best.h"
#include "refine/completion.h"
#include "refine/packing/dive.h"

/* Where one type runs all tasks: what bin completion and dives share. */
struct hsi_filling {
    hsi_completion *completion; /* NULL: tasks are too many */
    hs_type         type;
    unsigned        workers;
    double          grid;
    int64_t        *weight; /* of a task, in multiples of the grid */
    int64_t        *load;   /* of a worker, when groups are shared out anew */
    hsi_random      random;
    uint32_t       *worker; /* of a task, among those of the type */
    int             few;    /* tasks a worker */

    int64_t  at; /* the capacity to ask for next */
    uint64_t steps;
    unsigned round;
    double   seconds; /* spent so far */
    uint64_t iterations;

    int       may_dive;
    hsi_dive *dive;    /* NULL: not yet, or never */
    int64_t   dive_at; /* the capacity that it is about */
    double    dive_seconds;
};

/* The part of all time, or of iterations, before anything is annealed: of each of both. */
#define HSI_FILLING_FIRST 0.05

/* All the time that there is, or some. */
double hsi_filling_time(const hsi_best *best);

/* Where the best schedule has the tasks, in f->worker; and what is there as a schedule. */
void      hsi_filling_read(const hsi_best *best, hsi_filling *f);
hs_status hsi_filling_take(hsi_best *best, hsi_filling *f);

/* Dives, for a part of the time that has passed. */
hs_status hsi_diving_slice(hsi_best *best, hsi_filling *f);
void      hsi_diving_close(hsi_filling *f);

#endif
