/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BEST_BEST_H
#define HSI_REFINE_BEST_BEST_H

#include "algorithm/algorithm.h"
#include "refine/refine.h"

typedef struct hsi_bounds hsi_bounds;
typedef struct hsi_filling hsi_filling;
typedef struct hsi_seeds hsi_seeds;

/* What `best` knows, from its first schedule to its last. */
typedef struct hsi_best {
    const hsi_members *members;
    const hs_instance *in;
    const hs_settings *settings;
    hs_report         *report;
    hsi_stop           stop;
    atomic_int         halt;
    hsi_interrupt      interrupt; /* the caller's thread's */
    hsi_asker          asker;     /* of that: whether to go on */
    hsi_asker          caller;    /* whether the caller wants no more, however much time is left */
    double             next_report;
    const char        *phase;
    hsi_problem        pb;        /* asks nobody: what threads share */
    hsi_problem        asking;    /* asks `asker`, for what is worth nothing before its end ... */
    hsi_problem        finishing; /* ... and `caller`, for what is still worth it then */
    uint32_t          *order;     /* of the tasks, by rising p/q */
    double             pivot;
    hs_schedule       *found;    /* the best so far ... */
    double             makespan; /* ... its makespan ... */
    uint32_t          *worker;   /* ... and who runs what; */
    double            *load;     /* scratch, one a worker */
    hsi_bounds        *bounds;
    hsi_filling       *filling; /* NULL: it is not for that */
    hsi_seeds         *seeds;    /* of a graph; NULL: it is too large to be searched */
    double             bound;
    double             refuted;  /* no schedule's exact makespan is this or less */
    int                proves;   /* a proof is worth more than a shorter schedule */
    int                members_done;
    int                counted;  /* iterations end the search, so time has no say in it */
} hsi_best;

/* All of it: the schedule, and a report of it. `proves`: for `exact`, of a graph. */
hs_status hsi_best_run(const hsi_members *members, int proves, const hs_instance *in,
                       const hs_settings *settings, hs_schedule **out, hs_report *report);

/* Close it whatever comes of this. The interrupt points into it: it must not be moved. */
hs_status hsi_best_open(hsi_best *best, const hs_instance *in, const hs_settings *settings,
                        hs_report *report);
void      hsi_best_close(hsi_best *best);

/* Is the best schedule certainly within the gap that is asked for? */
int hsi_best_met(hsi_best *best);

/* Is there more to do: neither met nor interrupted? */
int hsi_best_goes_on(hsi_best *best);

/* A makespan that is short enough for that, about. */
double hsi_best_enough(const hsi_best *best);

/* What the best schedule takes for certain. */
double hsi_best_certified(hsi_best *best);

/*
 * Takes `s` over: it becomes the best schedule, less what it aborts, or is freed. Of a graph, each
 * task starts as soon as it can.
 */
hs_status hsi_best_offer(hsi_best *best, hs_schedule *s);

/* The same for an assignment, which stays the caller's. */
hs_status hsi_best_offer_assignment(hsi_best *best, const uint32_t *worker);

/* Notes a member that has come to its end, if there is room. */
void hsi_best_list(hs_report *report, const char *name);

/* The one member that only the caller can stop. */
hs_status hsi_portfolio_first(hsi_best *best);

/* The others, as long as time allows, and the split. */
hs_status hsi_portfolio_rest(hsi_best *best);

/* The quick bound, which a better one may follow. O(n log n). */
hs_status hsi_bounds_open(hsi_best *best);
void      hsi_bounds_close(hsi_best *best);

/* A slice of the time for better ones, unless they have had their part or none is to come. */
hs_status hsi_bounds_slice(hsi_best *best);

/*
 * What the configuration bound values each task at, once it has gone on for so many seconds;
 * *known = 0 where no time may be spent on it.
 */
hs_status hsi_bounds_value(hsi_best *best, double seconds, double *worth, int *known);

/* No schedule is shorter: that bound says so. */
void hsi_bounds_raise(hsi_best *best, double bound, const char *name);

/* The power of two that makespans are multiples of, or 0 (bound/grid.h). */
double hsi_bounds_grid(const hsi_best *best);

/* Nobody is as short as `target`: a search says so. */
void hsi_bounds_refuted(hsi_best *best, double target);

/* Is the bound one that sees how tasks fit on workers, not only how they share types? */
int hsi_bounds_see_patterns(const hsi_best *best);

/* Where tasks are of few kinds: searches between bound and makespan for a part of the time. */
hs_status hsi_best_by_kinds(hsi_best *best);

/* Where tasks are of few kinds and many: draws how many of each run where, and fills workers. */
hs_status hsi_best_by_counts(hsi_best *best);

/*
 * Where one type runs all tasks: a bound of its own, and bin completion between bound and makespan,
 * for a part of the time that has passed whenever it is called again.
 */
hs_status hsi_filling_open(hsi_best *best);
hs_status hsi_filling_slice(hsi_best *best);

/* Does what workers can hold allow the bound, as it says, so that others have nothing to add? */
int  hsi_filling_sees_patterns(const hsi_best *best);
void hsi_filling_close(hsi_filling *f);

/* Annealing in all threads until the end. */
hs_status hsi_rounds(hsi_best *best);

#endif
