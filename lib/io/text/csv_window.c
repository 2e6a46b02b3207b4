/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/csv_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/utf8.h"

uint64_t hsi_csv_bytes_to_end(int fd)
{
    struct stat about;
    int         saved_errno = errno;
    off_t       at = lseek(fd, 0, SEEK_CUR);

    if (at < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < at) {
        errno = saved_errno;
        return 0;
    }
    return (uint64_t)(about.st_size - at);
}

/* Advance csv->clean over valid UTF-8, up to a fault or an incomplete character. */
static void examine(struct hsi_csv *csv)
{
    const char *at;
    size_t      left;

    csv->clean += hsi_utf8_valid_prefix(csv->window + csv->clean, csv->filled - csv->clean);
    at = csv->window + csv->clean;
    left = csv->filled - csv->clean;
    if (left == 0 || (*at != 0 && hsi_utf8_character_bytes(at, left) > left && !csv->ended))
        return;
    csv->fault = *at == 0 ? "a NUL byte; expected UTF-8 text"
                          : "a byte sequence that is not UTF-8; expected UTF-8 text";
}

/* Move the record to the front of the window; double the window if the record fills it. */
static hs_status make_room(struct hsi_csv *csv)
{
    char *window;

    if (csv->record > 0) {
        memmove(csv->window, csv->window + csv->record, csv->filled - csv->record);
        csv->dropped += csv->record;
        csv->filled -= csv->record;
        csv->clean -= csv->record;
        csv->next -= csv->record < csv->next ? csv->record : csv->next;
        csv->record = 0;
    }
    if (csv->filled < csv->size)
        return HS_OK;
    if (csv->size > SIZE_MAX / 4)
        return HS_ENOMEM;
    window = realloc(csv->window, csv->size * 2 + 1);
    if (!window)
        return HS_ENOMEM;
    csv->window = window;
    csv->size *= 2;
    return HS_OK;
}

static void skip_mark(struct hsi_csv *csv)
{
    if (csv->clean >= 3 && memcmp(csv->window, "\xef\xbb\xbf", 3) == 0)
        csv->record = csv->next = 3;
    csv->started = true;
}

hs_status hsi_csv_fill_window(struct hsi_csv *csv)
{
    hs_status st = make_room(csv);

    if (st != HS_OK)
        return st;
    while (!csv->ended && csv->filled < csv->size) {
        ssize_t got = read(csv->fd, csv->window + csv->filled, csv->size - csv->filled);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return HS_EIO;
        csv->ended = got == 0;
        csv->filled += (size_t)got;
    }
    csv->window[csv->filled] = '\0';
    examine(csv);
    if (!csv->started)
        skip_mark(csv);
    return HS_OK;
}
