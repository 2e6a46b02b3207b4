/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef FAKECUDA_PRECISION_H
#define FAKECUDA_PRECISION_H

/*
 * Names in the precision of the file that includes this header: double, or float if FAKE_SINGLE is
 * defined. A file X.c of double precision is compiled again by X_single.c.
 */
#ifdef FAKE_SINGLE
#define REAL                 float
#define UPPER(before, after) before##S##after
#define LOWER(before, after) before##s##after
#else
#define REAL                 double
#define UPPER(before, after) before##D##after
#define LOWER(before, after) before##d##after
#endif

#define TEXT_OF(name)       #name
#define TEXT(name)          TEXT_OF(name)
#define NAME(before, after) TEXT(UPPER(before, after))

#endif
