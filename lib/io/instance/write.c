/* SPDX-License-Identifier: BSD-3-Clause */
#include <hybridsched/io.h>

#include "core/error.h"
#include "io/text/csv_write.h"

hs_status hs_instance_write(int fd, const hs_instance *in, hs_error *error)
{
    hsi_output    out;
    hsi_cell_list list;
    hs_status     st;

    if (!in)
        return hsi_error_set_status(error, HS_EINVAL);
    st = hsi_check_writable(in, error);
    if (st != HS_OK)
        return st;
    st = hsi_output_open(&out, fd);
    if (st != HS_OK)
        return hsi_error_set_status(error, st);
    hsi_put_instance_lines(&out, in, "instance");
    hsi_select_columns(&list, in->store, HSI_COLUMNS);
    hsi_put_column_names(&out, &list);
    for (size_t row = 0; row < in->store->rows && !hsi_output_failed(&out) && !list.failed; row++)
        hsi_put_row(&out, in, &list, row);
    return hsi_error_set_status(error, hsi_close_csv(&list, &out));
}
