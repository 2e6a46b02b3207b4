/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_WAYS_H
#define FAKECUDA_WAYS_H

/* Modes of launching tasks on the GPU. */

#include "trial.h"

enum { STREAMS, GRAPH, STREAMS_RESIDENT, GRAPH_RESIDENT, WAYS };

/* Fixture that runs before each test. */
void setup(void);

/* Set options for the mode; set options and open the trial; close the trial and check that no
 * object is left. */
void choose(trial *t, int way);
void opened(trial *t, int way);
void closed(trial *t);

void all_done(const trial *t);

/* Wait until these numbers of operations of a kind have begun and ended. */
void wait_for(fake_kind kind, unsigned begun, unsigned ended);

/* Count the kernels of this name among the records from number `from` on. */
unsigned count_kernels_named(const char *name, size_t from);

#endif
