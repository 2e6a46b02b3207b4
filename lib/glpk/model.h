/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_MODEL_H
#define HSI_SOLVER_MODEL_H

#include <hybridsched/schedule.h>

#include "glpk/assignment.h"
#include "support/arena.h"
#include "support/exact.h"

/*
 * The assignment MIP in memory. A cell is a row and a group; its value, between `lower` and
 * `upper`, is the number of the row's copies that the group runs. Times are divided by a power of
 * two near the optimum. Scaled times below 2^-900 count as 0, and infinite ones as impossible: n
 * tasks, each on its faster type, take at most n times the bound that gives the scale.
 */
typedef struct hsi_model {
    const hsi_problem *rows;
    hsi_arena          arena;      /* memory of the arrays */
    unsigned           groups, cpu_groups;
    double             weight[2];  /* workers per group, indexed by hs_type */
    double            *time[2];    /* scaled times, indexed by hs_type and row */
    int                exponent;   /* exponent of the scale */
    int                integral;   /* 1: the unscaled T is an integer */
    double             cutoff;     /* solutions at or above this value are ignored */
    uint32_t          *lower, *upper; /* bounds of the cells in the current node */
    uint32_t          *most;       /* upper bounds of the cells at the root */
    uint32_t          *order;      /* rows, the longest first */
    uint32_t          *amount;     /* scratch, indexed by cell */
    double            *multiplier; /* hint and scratch, indexed by group */
    double            *share;      /* solution of the last LP, indexed by cell */
    hsi_sum           *load;       /* scratch, indexed by group */
    double            *level;      /* scratch, indexed by group */
    uint32_t          *rest;       /* scratch, indexed by row */
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

/* Sums of bounds over a row's cells, from which bounds of one cell follow. */
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

/* Return the lower bound of the current node that model->multiplier proves, rounded down; INFINITY:
 * the node has no solution. */
double hsi_model_prove(const hsi_model *model);

/* Return a slightly weaker bound than hsi_model_prove(), faster and also safe, to decide on the
 * next step. */
double hsi_model_estimate(const hsi_model *model);

/* Round model->share to a solution and return its T, rounded down (round.c). */
double hsi_model_round(hsi_model *model);

/* Lower the cutoff, and close cells whose time reaches it, at the root too. */
void hsi_model_cut(hsi_model *model, double cutoff);

#endif
