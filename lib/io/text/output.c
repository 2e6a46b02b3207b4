/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/output.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/decimal/decimal.h"
#include "support/utf8.h"

#define CAPACITY    65536u
#define REPLACEMENT "\xef\xbf\xbd"

hs_status hsi_output_open(hsi_output *out, int fd)
{
    *out = (hsi_output){.fd = fd};
    out->buffer = malloc(CAPACITY);
    return out->buffer ? HS_OK : HS_ENOMEM;
}

/*
 * Write once; try again after a signal, and when a non-blocking pipe is full. Return 0 after a
 * failure, with out->error set.
 */
static size_t write_some(hsi_output *out, const char *bytes, size_t length)
{
    for (;;) {
        ssize_t       n = write(out->fd, bytes, length);
        struct pollfd room = {.fd = out->fd, .events = POLLOUT};

        if (n > 0)
            return (size_t)n;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            (void)poll(&room, 1, -1);
            continue;
        }
        out->error = n < 0 ? errno : EIO;
        return 0;
    }
}

static void write_all(hsi_output *out, const char *bytes, size_t length)
{
    while (length > 0 && !out->error) {
        size_t n = write_some(out, bytes, length);

        bytes += n;
        length -= n;
    }
}

static void empty_buffer(hsi_output *out)
{
    write_all(out, out->buffer, out->used);
    out->used = 0;
}

hs_status hsi_output_flush(hsi_output *out)
{
    empty_buffer(out);
    if (!out->error)
        return HS_OK;
    errno = out->error;
    return HS_EIO;
}

hs_status hsi_output_close(hsi_output *out)
{
    hs_status st = hsi_output_flush(out);

    hsi_output_abandon(out);
    if (out->error)
        errno = out->error; /* free() may have changed errno */
    return st;
}

void hsi_output_abandon(hsi_output *out)
{
    free(out->buffer);
    out->buffer = NULL;
    out->used = 0;
}

void hsi_output_bytes(hsi_output *out, const char *bytes, size_t length)
{
    if (length > CAPACITY - out->used)
        empty_buffer(out);
    if (length >= CAPACITY) {
        write_all(out, bytes, length);
        return;
    }
    if (length > 0)
        memcpy(out->buffer + out->used, bytes, length);
    out->used += length;
}

void hsi_output_char(hsi_output *out, char c)
{
    if (out->used == CAPACITY)
        empty_buffer(out);
    out->buffer[out->used++] = c;
}

void hsi_output_text(hsi_output *out, const char *text)
{
    hsi_output_bytes(out, text, strlen(text));
}

/* Return room for a number in the buffer. */
static char *number_room(hsi_output *out)
{
    if (CAPACITY - out->used < HSI_DECIMAL_MAX)
        empty_buffer(out);
    return out->buffer + out->used;
}

void hsi_output_u64(hsi_output *out, uint64_t value)
{
    char *room = number_room(out);

    out->used += hsi_decimal_write_u64(value, room);
}

void hsi_output_i64(hsi_output *out, int64_t value)
{
    char *room = number_room(out);

    out->used += hsi_decimal_write_i64(value, room);
}

void hsi_output_double(hsi_output *out, double value)
{
    char *room = number_room(out);

    out->used += hsi_decimal_write(value, room);
}

void hsi_output_coordinate(hsi_output *out, double value)
{
    uint64_t hundredths = (uint64_t)floor(fabs(value) * 100 + 0.5);
    unsigned fraction = (unsigned)(hundredths % 100);

    if (value < 0 && hundredths > 0)
        hsi_output_char(out, '-');
    hsi_output_u64(out, hundredths / 100);
    if (fraction == 0)
        return;
    hsi_output_char(out, '.');
    hsi_output_char(out, (char)('0' + fraction / 10));
    if (fraction % 10 != 0)
        hsi_output_char(out, (char)('0' + fraction % 10));
}

/*
 * Write the argument for the conversion character at `at`, which follows '%'. Return the rest of
 * the format.
 */
static const char *put_argument(hsi_output *out, const char *at, va_list *args)
{
    switch (*at) {
    case 's':
        hsi_output_text(out, va_arg(*args, const char *));
        break;
    case 'c':
        hsi_output_char(out, (char)va_arg(*args, int));
        break;
    case 'u':
        hsi_output_u64(out, va_arg(*args, unsigned));
        break;
    case 'z': /* 'u' follows: %zu */
        hsi_output_u64(out, va_arg(*args, size_t));
        return at + 2;
    case 'd':
        hsi_output_i64(out, va_arg(*args, int));
        break;
    case 'g':
        hsi_output_double(out, va_arg(*args, double));
        break;
    case 'f':
        hsi_output_coordinate(out, va_arg(*args, double));
        break;
    default:
        hsi_output_char(out, '%');
        break;
    }
    return at + 1;
}

void hsi_output_format(hsi_output *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    while (*format) {
        size_t plain = strcspn(format, "%");

        hsi_output_bytes(out, format, plain);
        format += plain;
        if (*format)
            format = put_argument(out, format + 1, &args);
    }
    va_end(args);
}

/*
 * Return the XML escape of a character; NULL: none needed. White space besides blanks is escaped,
 * because attributes would normalise it.
 */
static const char *xml_escape(uint32_t c)
{
    switch (c) {
    case '&':  return "&amp;";
    case '<':  return "&lt;";
    case '>':  return "&gt;";
    case '"':  return "&quot;";
    case '\t': return "&#9;";
    case '\n': return "&#10;";
    case '\r': return "&#13;";
    default:
        return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff ||
               c == HSI_MALFORMED ? REPLACEMENT : NULL;
    }
}

void hsi_output_xml(hsi_output *out, const char *text, size_t length)
{
    for (size_t i = 0, size; i < length; i += size) {
        const char *escape = xml_escape(hsi_utf8_decode(text + i, length - i, &size));

        if (escape)
            hsi_output_text(out, escape);
        else
            hsi_output_bytes(out, text + i, size);
    }
}

void hsi_output_json(hsi_output *out, const char *text, size_t length)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0, size; i < length; i += size) {
        uint32_t c = hsi_utf8_decode(text + i, length - i, &size);

        if (c == '"' || c == '\\') {
            hsi_output_char(out, '\\');
            hsi_output_char(out, (char)c);
        } else if (c < 0x20) {
            hsi_output_text(out, "\\u00");
            hsi_output_char(out, digits[c >> 4]);
            hsi_output_char(out, digits[c & 15]);
        } else if (c == HSI_MALFORMED) {
            hsi_output_text(out, REPLACEMENT);
        } else {
            hsi_output_bytes(out, text + i, size);
        }
    }
}
