/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing .npy headers. A header is "\x93NUMPY", two bytes of version, the length of
 * the dictionary in two bytes (version 1) or four, little-endian, and a Python dictionary; numpy
 * writes its keys descr, fortran_order and shape in this order.
 */
#include "exec/npy.h"

#include <stdbool.h>
#include <string.h>

#include "common/escape.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DOUBLES "<f8"
#else
#define DOUBLES ">f8"
#endif

static const char magic[] = "\x93NUMPY";

enum { MAGIC = sizeof magic - 1, LENGTH_AT = MAGIC + 2, HEADER_MOST = NPY_HEADER_MOST - 16 };

bool npy_is(const unsigned char *bytes, size_t size)
{
    return size >= MAGIC && memcmp(bytes, magic, MAGIC) == 0;
}

/* Return the text after 'KEY': in the dictionary; NULL: no such key. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

/* Parse a shape such as "(3, 4)". */
static bool read_shape(const char *text, npy *out)
{
    int used = 0;

    if (sscanf(text, "(%zu ,%zu%n", &out->rows, &out->columns, &used) < 2)
        return false;
    text += used;
    text += strspn(text, " ,");
    return *text == ')';
}

/* Return the length of the value at `text`, at most 40, for a message. */
static int part_of(const char *text)
{
    const char *end = strpbrk(text, *text == '(' ? ")" : *text == '[' ? "]" : ",}");
    size_t      length = end ? (size_t)(end - text) + (*end == ')' || *end == ']') : strlen(text);

    return length < 40 ? (int)length : 40;
}

static bool read_dictionary(const char *header, npy *out, char why[NPY_WHY])
{
    const char *type = value_of(header, "'descr'"), *order = value_of(header, "'fortran_order'");
    const char *shape = value_of(header, "'shape'");
    char        part[64];

    if (!type || !order || !shape) {
        snprintf(why, NPY_WHY, "its header lacks descr, fortran_order or shape");
        return false;
    }
    snprintf(part, sizeof part, "%.*s", part_of(type), type);
    if (strcmp(part, "'" DOUBLES "'") != 0) {
        snprintf(why, NPY_WHY,
                 "its elements have type %s, not '%s': convert them with numpy's astype('%s')",
                 SHOWN(part), DOUBLES, DOUBLES);
        return false;
    }
    out->by_column = strncmp(order, "True", 4) == 0;
    if (!out->by_column && strncmp(order, "False", 5) != 0) {
        snprintf(why, NPY_WHY, "its fortran_order is neither True nor False");
        return false;
    }
    snprintf(part, sizeof part, "%.*s", part_of(shape), shape);
    if (!read_shape(shape, out) || out->rows != out->columns) {
        snprintf(why, NPY_WHY, "its shape is %s, but the matrix must be square",
                 SHOWN(part));
        return false;
    }
    return true;
}

bool npy_read(const unsigned char *bytes, size_t size, npy *out, char why[NPY_WHY])
{
    char   header[HEADER_MOST + 1];
    size_t length = 0, at = LENGTH_AT, i, width = size > MAGIC && bytes[MAGIC] == 1 ? 2 : 4;

    if (size < LENGTH_AT + width) {
        snprintf(why, NPY_WHY, "the file ends within its header");
        return false;
    }
    if (bytes[MAGIC] < 1 || bytes[MAGIC] > 3) {
        snprintf(why, NPY_WHY, "its .npy version is %d, but only 1 to 3 are supported",
                 bytes[MAGIC]);
        return false;
    }
    for (i = 0; i < width; i++)
        length |= (size_t)bytes[at++] << 8 * i;
    if (length > size - at || length > HEADER_MOST) {
        snprintf(why, NPY_WHY,
                 length > HEADER_MOST ? "its header is too long" : "the file ends within its header");
        return false;
    }
    memcpy(header, bytes + at, length);
    header[length] = '\0';
    out->start = at + length;
    return read_dictionary(header, out, why);
}

/* Write the header, padded like numpy's so that the elements start at a multiple of 64 bytes. */
void npy_write(FILE *out, size_t order)
{
    char   text[192];
    int    used = snprintf(text, sizeof text,
                           "{'descr': '" DOUBLES "', 'fortran_order': True, 'shape': (%zu, %zu), }",
                           order, order);
    size_t length = ((size_t)used + 1 + LENGTH_AT + 2 + 63) / 64 * 64 - LENGTH_AT - 2;

    fwrite(magic, 1, MAGIC, out);
    putc(1, out);
    putc(0, out);
    putc((int)(length & 255), out);
    putc((int)(length >> 8), out);
    fprintf(out, "%-*s\n", (int)length - 1, text);
}
