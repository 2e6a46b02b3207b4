/* SPDX-License-Identifier: BSD-3-Clause */

/* Target of the header of .npy files; what is accepted describes elements behind the header. */

#include "fuzz/fuzz.h"

#include <string.h>

#include "exec/npy.h"

void fuzz_npy(const uint8_t *data, size_t size)
{
    npy  found = {0};
    char why[NPY_WHY] = "";
    char *exact = NULL;

    if (!npy_is(data, size))
        return;
    exact = malloc(size); /* exactly this size: a sanitizer notices a read past the end */
    FUZZ_REQUIRE(exact, "out of memory");
    memcpy(exact, data, size);
    if (npy_read((unsigned char *)exact, size, &found, why))
        FUZZ_REQUIRE(found.start <= size && found.start <= NPY_HEADER_MOST &&
                         found.rows == found.columns,
                     "a matrix of %zu x %zu from byte %zu of %zu on", found.rows, found.columns,
                     found.start, size);
    else
        FUZZ_REQUIRE(why[0] && strlen(why) < NPY_WHY, "no reason");
    free(exact);
}
