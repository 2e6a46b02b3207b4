/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SOLVER_GUARD_H
#define HSI_SOLVER_GUARD_H

#include <hybridsched/status.h>

/*
 * Runs work(data), which may call GLPK, with GLPK's terminal output off. An error
 * inside GLPK ends the work at once and comes out as HS_ESOLVER, lack of memory as
 * HS_ENOMEM.
 *
 * What the work takes hold of must hang on `data`, for the caller to release: an
 * error jumps out of the work. GLPK's own objects must not outlive the work. Not
 * to be nested.
 */
hs_status hsi_glpk_guarded(hs_status (*work)(void *data), void *data);

#endif
