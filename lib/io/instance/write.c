/* SPDX-License-Identifier: BSD-3-Clause */
#include <hybridsched/io.h>

#include "io/text/csv_write.h"

static void put_header(hsi_output *out, const hs_instance *in)
{
    const hsi_store *store = in->store;

    hsi_put_instance_lines(out, in, "instance");
    hsi_output_text(out, store->id.at.data ? "id,cpu,gpu" : "cpu,gpu");
    hsi_put_optional_names(out, in);
    hsi_output_text(out, store->count ? ",count\n" : "\n");
}

static void put_row(hsi_output *out, const hs_instance *in, size_t row)
{
    const hsi_store *store = in->store;
    const char      *id = hsi_strings_get(&store->id, row);

    if (id)
        hsi_put_text(out, id, strlen(id));
    if (store->id.at.data)
        hsi_output_char(out, ',');
    hsi_output_double(out, store->cpu[row]);
    hsi_output_char(out, ',');
    hsi_output_double(out, store->gpu[row]);
    hsi_put_optional_fields(out, in, row);
    if (store->count) {
        hsi_output_char(out, ',');
        hsi_output_u64(out, store->count[row]);
    }
    hsi_output_char(out, '\n');
}

hs_status hs_instance_write(int fd, const hs_instance *in)
{
    hsi_output out;
    hs_status  st;

    if (!in)
        return HS_EINVAL;
    st = hsi_check_writable(in);
    if (st != HS_OK)
        return st;
    st = hsi_output_open(&out, fd);
    if (st != HS_OK)
        return st;
    put_header(&out, in);
    for (size_t row = 0; row < in->store->rows && !hsi_output_failed(&out); row++)
        put_row(&out, in, row);
    return hsi_output_close(&out);
}
