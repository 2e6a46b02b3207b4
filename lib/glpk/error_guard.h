/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_GLPK_GUARD_H
#define HSI_GLPK_GUARD_H

#include <hybridsched/status.h>

/*
 * Run work(data), which may call GLPK, with GLPK's terminal output off. A GLPK error ends the work
 * at once: HS_ESOLVER, or HS_ENOMEM if memory was short.
 *
 * An error jumps out of the work: store resources in `data`, for the caller to release. GLPK
 * objects must not outlive the work. Calls must not be nested.
 */
hs_status hsi_glpk_guarded(hs_status (*work)(void *data), void *data);

#endif
