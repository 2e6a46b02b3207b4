/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/csv_window.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t hsi_csv_total(int fd)
{
    struct stat about;
    int         error = errno;
    off_t       at = lseek(fd, 0, SEEK_CUR);

    if (at < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < at) {
        errno = error;
        return 0;
    }
    return (uint64_t)(about.st_size - at);
}

/* Over what is neither NUL nor beyond ASCII, 32 bytes at a time. */
static const unsigned char *skip_ascii(const unsigned char *at, const unsigned char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);

    while (end - at >= 32) {
        uint64_t word[4];

        memcpy(word, at, sizeof word);
        /* Taking 1 from each byte sets the top bit of the lowest one that is zero. */
        if ((word[0] | (word[0] - ones) | word[1] | (word[1] - ones) | word[2] |
             (word[2] - ones) | word[3] | (word[3] - ones)) & tops)
            break;
        at += 32;
    }
    while (at < end && *at != 0 && *at < 0x80)
        at++;
    return at;
}

/* Bytes of the character that begins with `lead`, 0 if none does; the bounds of the second. */
static size_t shape(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;  /* no longer than needed */
    *high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf; /* no surrogate, not past the end */
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/* Bytes of the UTF-8 character at `at`; 0 if it is none; `left` + 1 if it is cut short. */
static size_t character(const unsigned char *at, size_t left)
{
    unsigned char low, high;
    size_t        bytes = shape(*at, &low, &high);

    for (size_t i = 1; i < bytes; i++) {
        if (i == left)
            return left + 1;
        if (at[i] < low || at[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return bytes;
}

size_t hsi_utf8_good(const char *text, size_t length)
{
    const unsigned char *start = (const unsigned char *)text, *at = start, *end = start + length;

    for (;;) {
        size_t bytes;

        at = skip_ascii(at, end);
        if (at == end || *at == 0)
            break;
        bytes = character(at, (size_t)(end - at));
        if (bytes == 0 || bytes > (size_t)(end - at))
            break;
        at += bytes;
    }
    return (size_t)(at - start);
}

/* Move csv->clean over good text, up to what is bad or not known yet. */
static void examine(struct hsi_csv *csv)
{
    const unsigned char *at;
    size_t               left;

    csv->clean += hsi_utf8_good(csv->window + csv->clean, csv->filled - csv->clean);
    at = (const unsigned char *)csv->window + csv->clean;
    left = csv->filled - csv->clean;
    if (left == 0 || (*at != 0 && character(at, left) > left && !csv->ended))
        return;
    csv->fault = *at == 0 ? "a NUL byte; expected UTF-8 text"
                          : "a byte sequence that is not UTF-8; expected UTF-8 text";
}

/* The record to the front; a larger window if it fills the present one. */
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
    window = realloc(csv->window, csv->size * 2 + HSI_SLACK);
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
    csv->started = 1;
}

hs_status hsi_csv_fill(struct hsi_csv *csv)
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
    memset(csv->window + csv->filled, 0, HSI_SLACK);
    examine(csv);
    if (!csv->started)
        skip_mark(csv);
    return HS_OK;
}
