/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_CELLS_H
#define TOOLS_CHECK_CELLS_H

/** Times as whole cells of a grid that is fine enough for 80 bits of a capacity. */
typedef __int128 cells;

#endif
