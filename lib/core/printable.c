/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <hybridsched/io.h>

#include "support/utf8.h"

/*
 * Make foreign text printable, character by character: characters not allowed on a terminal become
 * \xHH, byte by byte. The result passes unchanged through a second call.
 */
size_t hs_printable(const char *text, char *buffer, size_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t            left = strlen(text), length = 0, end = 0, step;

    for (; left > 0; left -= step, text += step) {
        bool   shown = hsi_utf8_is_printable(hsi_utf8_decode(text, left, &step));
        size_t takes = shown ? step : 4 * step;

        for (size_t i = 0; i < takes && length + takes < size; i++) {
            unsigned char byte = (unsigned char)text[shown ? i : i / 4];
            const char    form[] = {'\\', 'x', digits[byte >> 4], digits[byte & 15]};

            buffer[length + i] = shown ? (char)byte : form[i % 4];
        }
        length += takes;
        if (length < size)
            end = length;
    }
    if (size > 0)
        buffer[end] = '\0';
    return length;
}
