/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYBRIDSCHED_H
#define HYBRIDSCHED_H

/* Include every header of libhybridsched. */
#include <hybridsched/arrivals.h>
#include <hybridsched/bound.h>
#include <hybridsched/certificate.h>
#include <hybridsched/cost.h>
#include <hybridsched/generate.h>
#include <hybridsched/instance.h>
#include <hybridsched/io.h>
#include <hybridsched/parameters.h>
#include <hybridsched/policy.h>
#include <hybridsched/queue.h>
#include <hybridsched/rank.h>
#include <hybridsched/schedule.h>
#include <hybridsched/solve.h>
#include <hybridsched/status.h>
#include <hybridsched/version.h>

#endif
