/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing of the list columns `after` and `data`. */
#include <hybridsched/io.h>

#include "io/text/csv_write.h"

int hsi_append_name(hsi_vector *text, const char *name, size_t length)
{
    char *to;

    if (hsi_vector_reserve(text, 2 * length + 1))
        return -1;
    to = (char *)text->data + text->size;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == ';' || name[i] == ':' || name[i] == '\\')
            *to++ = '\\';
        *to++ = name[i];
    }
    text->size = (size_t)(to - (char *)text->data);
    return 0;
}

static int append_text(hsi_vector *text, const char *more)
{
    return hsi_vector_append(text, more, strlen(more));
}

static bool append_bytes(hsi_vector *text, double bytes)
{
    char number[32];

    if (bytes == 0)
        return false;
    hs_format_double(bytes, number);
    return append_text(text, ":") || append_text(text, number);
}

static bool append_after(hsi_vector *text, const hs_instance *in, size_t row)
{
    char     name[HS_MAX_ID + 16];
    size_t   earlier;
    uint32_t copy;
    double   bytes;
    bool     failed = false;

    for (size_t i = 0; !failed && hs_instance_predecessor(in, row, i, &earlier, &copy, &bytes);
         i++) {
        size_t length = hs_instance_row_name(in, earlier, copy, name, sizeof name);

        failed = (i > 0 && append_text(text, ";")) || hsi_append_name(text, name, length) ||
                 append_bytes(text, bytes);
    }
    return failed;
}

static bool append_data(hsi_vector *text, const hs_instance *in, size_t row)
{
    static const char *const behind[] = {"", ":r", ":w", ":rw"};
    hs_access_mode           mode;
    size_t                   data;
    bool                     failed = false;

    for (size_t i = 0; !failed && hs_instance_access(in, row, i, &data, &mode); i++) {
        const char *name = hs_instance_handle_name(in, data);

        failed = (i > 0 && append_text(text, ";")) || hsi_append_name(text, name, strlen(name)) ||
                 append_text(text, behind[mode]);
    }
    return failed;
}

int hsi_append_list_cell(hsi_vector *text, const hs_instance *in, int column, size_t row)
{
    bool failed = column == HSI_AFTER ? append_after(text, in, row) : append_data(text, in, row);

    return failed ? -1 : 0;
}
