/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_REFINE_BEST_BEST_H
#define HSI_REFINE_BEST_BEST_H

#include "algorithm/algorithm.h"
#include "refine/refine.h"

typedef struct hsi_bounds hsi_bounds;
typedef struct hsi_bin_completion hsi_bin_completion;
typedef struct hsi_seeds hsi_seeds;

/* The state of one call of `best`. */
typedef struct hsi_best {
    const hsi_members *members;
    const hs_instance *in;
    const hs_settings *settings;
    hs_report         *report;
    hsi_stop           stop;
    atomic_int         halt;
    hsi_interrupt      interrupt; /* stop conditions of the caller's thread */
    hsi_token          token;     /* cancelled when `interrupt` is set, by time or caller */
    hsi_token          caller;    /* cancelled by the caller alone, at any time limit */
    double             next_report;
    const char        *phase;
    char               member[32]; /* the running member of the portfolio; empty: none runs */
    hsi_problem        pb;        /* problem without a cancel token; threads share this problem */
    hsi_problem        asking;    /* problem with `token`, for steps that are useless unless
                                     finished in time */
    hsi_problem        finishing; /* problem with `caller`, for steps worth finishing after the time
                                     limit */
    uint32_t          *order;     /* tasks by increasing p/q */
    double             pivot;
    hs_schedule       *found;    /* the best schedule so far */
    double             makespan; /* makespan of `found` */
    uint32_t          *worker;   /* worker of each task in `found` */
    double            *load;     /* scratch memory with one entry per worker */
    hsi_bounds        *bounds;
    hsi_bin_completion       *filling;  /* state of bin completion; NULL: bin completion does not suit
                                    the instance */
    hsi_seeds         *seeds;    /* seeds of a graph's search; NULL: independent tasks, or a graph
                                    too large to search */
    double             bound;
    double             refuted; /* makespan that every schedule exceeds, by exact sums */
    bool               proves;  /* whether time is spent on the proof rather than on shorter
                                   schedules */
    bool               members_done;
    bool               counted; /* whether the number of iterations ends the search, never the
                                   time */
} hsi_best;

/* Find a schedule and fill the report. `proves`: 1 for `exact` on graphs. The caller owns *out. */
hs_status hsi_best_run(const hsi_members *members, bool proves, const hs_instance *in,
                       const hs_settings *settings, hs_schedule **out, hs_report *report);

/* Initialise `best`. Call hsi_best_close() also after a failure. `best` must not be moved, since
 * its interrupt points into it. */
hs_status hsi_best_open(hsi_best *best, const hs_instance *in, const hs_settings *settings,
                        hs_report *report);
void      hsi_best_close(hsi_best *best);

/* Return true if the best schedule is certainly within the requested gap. */
bool hsi_best_has_met_gap(hsi_best *best);

/* Return true if the gap is not reached and the search not interrupted. */
bool hsi_best_may_continue(hsi_best *best);

/* Return a makespan that is about short enough for the requested gap. */
double hsi_best_sufficient_bound(const hsi_best *best);

/* Return the certified makespan of the best schedule. */
double hsi_best_certified_makespan(hsi_best *best);

/* Take ownership of `s`: keep it, without its aborted entries, if better than the best schedule,
 * else free it. In a graph, tasks are first shifted to their earliest start. */
hs_status hsi_best_offer(hsi_best *best, hs_schedule *s);

/* Keep an assignment as the best schedule if it is better. The caller keeps ownership of
 * `assignment`. */
hs_status hsi_best_offer_assignment(hsi_best *best, const uint32_t *assignment);

/* Set the member that the next schedules come from; NULL: the current phase. `rank` is
 * HS_RANK_DEFAULT or a part of the name. */
void hsi_best_set_member(hsi_best *best, const char *name, hs_rank rank);

/* Append the name of a finished member to the report, if it has room. */
void hsi_report_add_member(hs_report *report, const char *name);

/* Run the first member, heteroprio, which only the caller can cancel. */
hs_status hsi_portfolio_run_first(hsi_best *best);

/* Run the other members within their part of the time, and the split. */
hs_status hsi_portfolio_run_others(hsi_best *best);

/* Compute the deadline bound, the start of all better bounds. O(n log n). */
hs_status hsi_bounds_open(hsi_best *best);
void      hsi_bounds_close(hsi_best *best);

/* Compute better bounds for a slice of time, unless their part of the time is spent or no better
 * bound is possible. */
hs_status hsi_bounds_run_slice(hsi_best *best);

/* Write each task's value in the configuration bound to worth[], after up to `seconds` of
 * computing. *found = 0: no time is left for the bound. */
hs_status hsi_bounds_compute_worths(hsi_best *best, double seconds, double *worth, int *found);

/* Raise the lower bound of the search; lower values are ignored. `name` goes to the report. */
void hsi_bounds_raise_to(hsi_best *best, double bound, const char *name);

/* Return the power of two of which all makespans are multiples, or 0 (bound/grid.h). */
double hsi_bounds_makespan_grid(const hsi_best *best);

/* Record the proof of a search that no schedule has a makespan of at most `target`. */
void hsi_bounds_raise_by_refutation(hsi_best *best, double target);

/* Return true if the best bound accounts for the sets of tasks on single workers, not only for
 * loads of types. */
bool hsi_bounds_use_patterns(const hsi_best *best);

/* Search tasks of few kinds between bound and makespan for a part of the time. */
hs_status hsi_best_search_by_kinds(hsi_best *best);

/* Search instances that one type runs alone: raise the bound, then run bin completion between bound
 * and makespan; later slices use a fixed share of the elapsed time. */
hs_status hsi_bin_completion_open(hsi_best *best);
hs_status hsi_bin_completion_run_slice(hsi_best *best);

void      hsi_bin_completion_close(hsi_bin_completion *completion);

/* Anneal in all threads until the search ends. */
hs_status hsi_anneal_rounds_run(hsi_best *best);

#endif
