/* SPDX-License-Identifier: BSD-3-Clause */
#include <hybridsched/io.h>

#include "io/text/csv_write.h"

hs_status hs_instance_write(int fd, const hs_instance *in)
{
    hsi_output    out;
    hsi_cell_list list;
    hs_status     st;

    if (!in)
        return HS_EINVAL;
    st = hsi_check_writable(in);
    if (st != HS_OK)
        return st;
    st = hsi_output_open(&out, fd);
    if (st != HS_OK)
        return st;
    hsi_put_instance_lines(&out, in, "instance");
    hsi_list_cells(&list, in->store, HSI_COLUMNS);
    hsi_put_names(&out, &list);
    for (size_t row = 0; row < in->store->rows && !hsi_output_failed(&out) && !list.failed; row++)
        hsi_put_cells(&out, in, &list, row);
    return hsi_close_cells(&list, &out);
}
