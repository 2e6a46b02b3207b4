/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKENDS_H
#define HSI_EXEC_BACKENDS_H

#include <hybridsched/backend.h>

extern const hs_backend hsi_backend_command;  /* cpu_command and gpu_command */
extern const hs_backend hsi_backend_plugin;   /* kernel plugin:FILE.so:SYMBOL */
extern const hs_backend hsi_backend_cpu;      /* built-in kernels, spin:US, sleep:US */
extern const hs_backend hsi_backend_emulated; /* takes the planned time and does nothing */

/* Built-in kernels on the tiles of an hsi_matrix: a copy of the table has that as its data. */
extern const hs_backend hsi_backend_shared;

/* What a backend should have and has not, in words; NULL: it can be used. */
const char *hsi_backend_lacks(const hs_backend *backend);

/* Memory that a body of hsi_backend_cpu needs, in bytes. */
double hsi_cpu_body_bytes(const hs_body *body);

/* A copy on the heap of a body that was read, of `size` bytes: it begins with an hs_body. */
hs_status hsi_body_keep(const void *read, size_t size, hs_body **out);
void      hsi_body_free(hs_body *body);

/*
 * Wait until `ns` on CLOCK_MONOTONIC, or until the attempt is cancelled (returns 1):
 * sleeps first and spins at the end, so that it is over within microseconds. The
 * calling thread's timer slack should be 1 ns.
 */
int hsi_wait_until(const hs_attempt *attempt, int64_t ns);

#endif
