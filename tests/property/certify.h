/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TEST_PROPERTY_CERTIFY_H
#define TEST_PROPERTY_CERTIFY_H

#include "exact.h"
#include "sample.h"

/*
 * Is this a schedule of the sample? NULL, or what is wrong. A second opinion next
 * to hs_schedule_check(), from the sample's own arrays. *span is the largest
 * exact sum of what one worker runs to its end: no bound may exceed it.
 */
const char *certify(const sample *s, const hs_schedule *plan, exact *span);

#endif
