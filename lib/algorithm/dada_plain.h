/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_ALGORITHM_DADA_PLAIN_H
#define HSI_ALGORITHM_DADA_PLAIN_H

#include "core/problem.h"
#include "support/worker_tree.h"

/*
 * Which guesses DADA accepts when no task wishes to be anywhere. What is forced
 * depends only on which times a guess lies between, and the GPUs are filled in an
 * order that does not depend on it at all: one list schedule, of which each guess
 * takes a beginning, serves them.
 */
typedef struct hsi_dada_plain {
    const hsi_problem *pb;
    double            *p, *q; /* times by decreasing rho */
    hsi_worker_tree    gpus;
    double             least;       /* no smaller guess can be: some task needs as much */
    double             from, below; /* what follows holds for guesses in [from, below) */
    double             accepted;    /* the smallest so far: only smaller ones are asked for */
    double             forced;      /* GPU time */
    double            *earliest;    /* when a GPU is free, the tasks before a place on them */
    size_t             known;       /* places for which that is kept: at the others, too late */
    double            *cpu_after;   /* CPU time from a place on of what is not forced to GPUs */
    uint32_t          *to_cpus;     /* places of what is forced to CPUs, the last first */
    size_t             to_cpus_count;
} hsi_dada_plain;

/* In the problem's arena: not to be closed. */
hs_status hsi_dada_plain_open(hsi_dada_plain *plain, const hsi_problem *pb, const uint32_t *by_rho);

/* An hsi_accepts. O(log n), but O(n log k) where other tasks are forced than before. */
int hsi_dada_plain_accepts(void *plain, double guess);

#endif
