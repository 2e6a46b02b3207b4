/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_SEARCH_H
#define HSI_REFINE_SEARCH_H

#include "refine/refine.h"

typedef struct hsi_lower hsi_lower;

/* What `best` knows, from its first schedule to its last. */
typedef struct hsi_search {
    const hs_instance *in;
    const hs_settings *settings;
    hs_report         *report;
    hsi_stop           stop;
    atomic_int         halt;
    hsi_watch          watch;    /* the caller's thread's */
    double             next_tell;
    const char        *phase;
    hsi_problem        pb;
    uint32_t          *order;    /* of the tasks, by rising p/q */
    double             pivot;
    hs_schedule       *found;    /* the best so far ... */
    double             makespan; /* ... its makespan ... */
    uint32_t          *worker;   /* ... and who runs what; */
    double            *load;     /* scratch, one a worker */
    hsi_lower         *lower;
    double             bound;
    double             refuted;  /* no schedule's exact makespan is this or less */
    int                counted;  /* iterations end the search, so time has no say in it */
} hsi_search;

/* Is the best schedule certainly within the gap that is asked for? */
int hsi_search_met(const hsi_search *search);

/* A makespan that is short enough for that, about. */
double hsi_search_enough(const hsi_search *search);

/* Takes `s` over: it becomes the best schedule, less what it aborts, or is freed. */
hs_status hsi_search_offer(hsi_search *search, hs_schedule *s);

/* The same for an assignment, which stays the caller's. */
hs_status hsi_search_offer_assignment(hsi_search *search, const uint32_t *worker);

/* The same; of two that are equally long it prefers the one whose exact sums are less. */
hs_status hsi_search_offer_exact(hsi_search *search, const uint32_t *worker);

/* The one member that always finishes. */
hs_status hsi_portfolio_first(hsi_search *search);

/* The others, as long as time allows, and the split. */
hs_status hsi_portfolio_rest(hsi_search *search);

/* The quick bound, which a better one may follow. O(n log n). */
hs_status hsi_lower_open(hsi_search *search);
void      hsi_lower_close(hsi_search *search);

/* Does it seem worth its time to go on with the better one? */
int hsi_lower_promises(const hsi_search *search);

/* The part of the time that has passed which it may have had. */
double hsi_lower_share(const hsi_search *search);

/* Goes on with it for so many seconds. */
hs_status hsi_lower_step(hsi_search *search, double seconds);

/* The better bound's, to its end in at most so many seconds, and what it values each task at. */
hs_status hsi_lower_value(hsi_search *search, double seconds, double *worth);

/* Nobody shorter or equally short: refuted by a search. */
void hsi_lower_refuted(hsi_search *search, double target);

/* Is the bound one that sees how tasks fit on workers, not only how they share types? */
int hsi_lower_sees_patterns(const hsi_search *search);

/* Where tasks are of few kinds: searches between bound and makespan for a part of the time. */
hs_status hsi_narrow(hsi_search *search);

/* Annealing in all threads until the end. */
hs_status hsi_rounds(hsi_search *search);

#endif
