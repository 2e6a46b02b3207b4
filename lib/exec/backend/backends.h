/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKENDS_H
#define HSI_EXEC_BACKENDS_H

#include <hybridsched/backend.h>

extern const hs_backend hsi_backend_command;  /* cpu_command and gpu_command */
extern const hs_backend hsi_backend_plugin;   /* kernel plugin:FILE.so:SYMBOL */
extern const hs_backend hsi_backend_cpu;      /* built-in kernels, spin:US, sleep:US */
extern const hs_backend hsi_backend_emulated; /* waits for the planned time */

/* Return why a backend cannot be used, in words; NULL: the backend is complete. */
const char *hsi_backend_defect(const hs_backend *backend);

/* Return the bytes of memory that a body of hsi_backend_cpu needs. */
double hsi_cpu_body_bytes(const hs_body *body);

/* Copy a body of `size` bytes, which begins with an hs_body, to the heap. HS_ENOMEM. */
hs_status hsi_body_copy_to_heap(const void *body, size_t size, hs_body **out);
void      hsi_body_free(hs_body *body);

/*
 * Wait until `ns` on CLOCK_MONOTONIC and return false, or until the attempt is cancelled and return
 * true. The wait sleeps first and spins at the end, so it ends within microseconds. The calling
 * thread's timer slack should be 1 ns.
 */
bool hsi_wait_until(const hs_attempt *attempt, int64_t ns);

#endif
