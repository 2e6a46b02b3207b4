/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_FLOOR_SOLVE_H
#define BENCH_FLOOR_SOLVE_H

#include <hybridsched/instance.h>

/*
 * The unavoidable work of scheduling, in seconds of the thread's processor time: a radix sort of n
 * (64-bit key, 32-bit index) pairs, and a heap of m + k workers whose top is replaced n times.
 */
double seconds_of_sort(const hs_instance *in);
double seconds_of_heap(const hs_instance *in);

#endif
