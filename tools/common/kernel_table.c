/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/kernel_table.h"

#include <unistd.h>

#include "common/files.h"
#include "common/input.h"
#include "common/message.h"
#include "common/nearest_word.h"

const char *kernel_table_name_at(size_t index)
{
    const hs_kernel_table *table = hs_kernel_table_at(index);

    return table ? table->name : NULL;
}

/*
 * Return the table name for an instance's header line: the path, or FILE if control characters in
 * the path would break the line.
 */
static const char *header_name(const char *path)
{
    for (const char *c = path; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return "FILE";
    return path;
}

int kernel_table_find_or_read(const char *name, const hs_kernel_table **table,
                              hs_kernel_table **read)
{
    hs_error      error = {0};
    input         in;
    int           code;

    *table = hs_kernel_table_find(name);
    if (*table)
        return EXIT_OK;
    if (!is_dash(name) && access(name, F_OK) != 0)
        report_unknown_word(NULL, "kernel table, nor file,", name, kernel_table_name_at,
                            "hsched-gen --list names the tables");
    code = input_open(name, &in);
    if (code)
        return code;
    code = input_status(&in, hs_kernel_table_read(in.fd, read, &error), &error);
    input_close(&in);
    if (code)
        return code;
    (*read)->name = header_name(name);
    *table = *read;
    return EXIT_OK;
}
