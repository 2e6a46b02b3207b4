/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_DADA_PLAIN_H
#define HSI_ALGORITHM_DADA_PLAIN_H

#include "core/problem.h"
#include "support/worker_tree.h"

/*
 * DADA's test of guesses without affinities. Which tasks are forced depends only on the two task
 * times around a guess, and GPUs are filled in an order independent of the guess: all guesses
 * between two times use the beginning of one list schedule.
 */
typedef struct hsi_dada_plain {
    const hsi_problem *pb;
    double            *p, *q; /* times by decreasing rho */
    hsi_worker_tree    gpus;
    double             least;       /* lower bound of all guesses: the largest min(p, q) */
    double             from, below; /* the fields below hold for guesses in [from, below) */
    double             accepted;    /* smallest accepted guess; later guesses are smaller */
    double             forced;      /* GPU time of the tasks forced to GPUs */
    double            *earliest;    /* time at which a GPU is free, with the tasks before a
                                       position */
    size_t known;                   /* number of positions with `earliest`; later ones exceed all
                                       guesses */
    double *cpu_after;              /* CPU time of the tasks from a position on, without those
                                       forced to GPUs */
    uint32_t *to_cpus;              /* positions of tasks forced to CPUs, the last first */
    size_t    to_cpus_count;
} hsi_dada_plain;

/* Allocate in the problem's arena; no close is needed. `by_rho` is read during the call. */
hs_status hsi_dada_plain_open(hsi_dada_plain *plain, const hsi_problem *pb, const uint32_t *by_rho);

/* Test a guess (an hsi_accepts). O(log n), or O(n log k) if other tasks are forced than before. */
int hsi_dada_plain_accepts(void *plain, double guess);

#endif
