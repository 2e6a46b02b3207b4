/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_WAYS_H
#define FAKECUDA_WAYS_H

/* The ways in which tasks get to the GPU. */

#include "trial.h"

enum { STREAMS, GRAPH, STREAMS_RESIDENT, GRAPH_RESIDENT, WAYS };

/* Before each test. */
void setup(void);

/* Settings for a way; the same, and all made ready; and ended, with nothing left. */
void choose(trial *t, int way);
void opened(trial *t, int way);
void closed(trial *t);

void all_done(const trial *t);

/* Until so many operations of a kind have begun, and ended. */
void wait_for(fake_kind kind, unsigned begun, unsigned ended);

/* Since record `from`. */
unsigned kernels_named(const char *name, size_t from);

#endif
