/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_CERTIFY_H
#define TEST_PROPERTY_CERTIFY_H

#include "exact.h"
#include "sample.h"

/*
 * Return NULL if the plan is a valid schedule of the sample, else the reason. The verdict is
 * independent of hs_schedule_check() and uses the sample's own arrays. *span becomes the exact
 * makespan without idle time: the largest sum of completed tasks on a worker. No bound may exceed
 * *span.
 */
const char *certify(const sample *s, const hs_schedule *plan, exact *span);

#endif
