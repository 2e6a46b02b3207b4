/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that is taken out of one reader, to be read by another, and given back. */
#include <stdlib.h>
#include <string.h>

#include "io/text/csv_window.h"

size_t hsi_csv_lines(struct hsi_csv *csv, size_t piece, const char **at)
{
    size_t      length = csv->clean - csv->next;
    const char *stop;

    if (length < piece && !csv->ended && !csv->fault) {
        csv->record = csv->next;
        if (hsi_csv_fill(csv) != HS_OK)
            return 0;
        length = csv->clean - csv->next;
    }
    *at = csv->window + csv->next;
    if (length > piece && (stop = memchr(*at + piece - 1, '\n', length - (piece - 1))))
        return (size_t)(stop + 1 - *at);
    while (length > 0 && (*at)[length - 1] != '\n')
        length--;
    return length;
}

void hsi_csv_skip(struct hsi_csv *csv, size_t length)
{
    csv->next += length;
    csv->record = csv->next;
}

/* Room for that much text; what was held is lost if `is_empty`. */
static hs_status make_window(struct hsi_csv *csv, size_t size, int is_empty)
{
    char *window;

    if (size <= csv->size)
        return HS_OK;
    window = is_empty ? malloc(size + HSI_SLACK) : realloc(csv->window, size + HSI_SLACK);
    if (!window)
        return HS_ENOMEM;
    if (is_empty)
        free(csv->window);
    csv->window = window;
    csv->size = size;
    return HS_OK;
}

hs_status hsi_csv_hold(struct hsi_csv *csv, const char *text, size_t length)
{
    if (make_window(csv, length, 1) != HS_OK)
        return HS_ENOMEM;
    memcpy(csv->window, text, length);
    memset(csv->window + length, 0, HSI_SLACK);
    csv->record = csv->next = csv->count = 0;
    csv->clean = csv->filled = length;
    csv->line = csv->next_line = 1;
    csv->started = csv->ended = 1;
    csv->dropped = 0;
    csv->total = length;
    return HS_OK;
}

hs_status hsi_csv_unread(struct hsi_csv *csv, const char *text, size_t length)
{
    size_t left = csv->filled - csv->next;

    if (make_window(csv, length + left, 0) != HS_OK)
        return HS_ENOMEM;
    memmove(csv->window + length, csv->window + csv->next, left);
    memcpy(csv->window, text, length);
    memset(csv->window + length + left, 0, HSI_SLACK);
    csv->dropped += csv->next;
    csv->dropped -= length;
    csv->clean = length + csv->clean - csv->next;
    csv->filled = length + left;
    csv->record = csv->next = 0;
    return HS_OK;
}
