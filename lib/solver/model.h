/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_MODEL_H
#define HSI_SOLVER_MODEL_H

#include <hybridsched/schedule.h>

#include "solver/assignment.h"
#include "support/arena.h"
#include "support/exact.h"

/*
 * The assignment MIP in memory. A cell is a row and a group: how many of the row's
 * copies the group runs, between `lower` and `upper`. Times are divided by a power
 * of two near the optimum; what is then below 2^-900 counts as nothing, and what is
 * infinite as impossible: n tasks, each on its faster type, take at most n times
 * the bound that the scale is taken from.
 */
typedef struct hsi_model {
    const hsi_problem *rows;
    hsi_arena          arena;      /* of the arrays */
    unsigned           groups, cpu_groups;
    double             weight[2];  /* workers in a group of a type */
    double            *time[2];    /* by row, scaled */
    int                exponent;   /* of the scale */
    int                integral;   /* T is a whole number, unscaled */
    double             cutoff;     /* solutions from here on do not matter */
    uint32_t          *lower, *upper; /* cells: of the node at hand */
    uint32_t          *most;       /* cells: upper of the root */
    uint32_t          *order;      /* rows, the longest first */
    uint32_t          *amount;     /* cells: scratch */
    double            *multiplier; /* by group: scratch and hint */
    double            *share;      /* cells: solution of the latest LP */
    hsi_sum           *load;       /* by group: scratch */
    double            *level;      /* by group: scratch */
    uint32_t          *rest;       /* by row: scratch */
} hsi_model;

static inline int hsi_model_type(const hsi_model *model, unsigned group)
{
    return group < model->cpu_groups ? HS_CPU : HS_GPU;
}

static inline double hsi_model_time(const hsi_model *model, size_t row, unsigned group)
{
    return model->time[hsi_model_type(model, group)][row];
}

static inline double hsi_model_weight(const hsi_model *model, unsigned group)
{
    return model->weight[hsi_model_type(model, group)];
}

/* Sums over a row's cells: what a cell's bounds are, given those of the others, follows. */
typedef struct hsi_slack {
    int64_t lower, upper;
} hsi_slack;

hsi_slack hsi_model_slack(const hsi_model *model, size_t row);

static inline int64_t hsi_model_lower(const hsi_model *model, size_t cell, hsi_slack slack,
                                      uint32_t count)
{
    int64_t implied = count - (slack.upper - model->upper[cell]);

    return implied > model->lower[cell] ? implied : model->lower[cell];
}

static inline int64_t hsi_model_upper(const hsi_model *model, size_t cell, hsi_slack slack,
                                      uint32_t count)
{
    int64_t implied = count - (slack.lower - model->lower[cell]);

    return implied < model->upper[cell] ? implied : model->upper[cell];
}

hs_status hsi_model_open(hsi_model *model, const hsi_problem *rows, hsi_grouping grouping,
                         double scale);
void      hsi_model_close(hsi_model *model);

/* What model->multiplier proves of the node at hand; safe. INFINITY: it has no solution. */
double hsi_model_prove(const hsi_model *model);

/* As hsi_model_prove(), faster and a little less: safe as well, for deciding what to do. */
double hsi_model_estimate(const hsi_model *model);

/* round.c: rounds model->share to a solution and returns its T, rounded down. */
double hsi_model_round(hsi_model *model);

/* Lowers the cutoff; cells whose time it excludes are closed, at the root too. */
void hsi_model_cut(hsi_model *model, double cutoff);

#endif
