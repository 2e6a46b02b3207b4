/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_NPY_H
#define TOOLS_EXEC_NPY_H

#include <stddef.h>
#include <stdio.h>

/* NumPy's files of one array (.npy, versions 1 to 3), of matrices of doubles alone. */

typedef struct npy {
    size_t start; /* bytes of the header */
    size_t rows, columns;
    int    by_column;
} npy;

enum { NPY_HEADER_MOST = 4112 }; /* of bytes before the elements that are read */
enum { NPY_WHY = 256 };

/** Do these bytes begin such a file? */
int npy_is(const unsigned char *bytes, size_t size);

/** Its header. 0, and `why` says what is wrong with it, or what of it is not read. */
int npy_read(const unsigned char *bytes, size_t size, npy *out, char why[NPY_WHY]);

/** The header of a square matrix by column. */
void npy_write(FILE *out, size_t order);

#endif
