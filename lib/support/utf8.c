/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/utf8.h"

#include <stdbool.h>
#include <string.h>

size_t hsi_utf8_character_bytes(const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, lead = *at;
    /* range of the second byte: shortest forms, no surrogates, at most U+10FFFF */
    unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    size_t        bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        if (i == length)
            return length + 1;
        if (at[i] < low || at[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return bytes;
}

/* Skip ASCII other than NUL, 32 bytes at a time. */
static const char *skip_ascii(const char *at, const char *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);

    while (end - at >= 32) {
        uint64_t word[4];

        memcpy(word, at, sizeof word);
        /* Subtracting 1 from each byte sets the top bit of the lowest zero byte. */
        if ((word[0] | (word[0] - ones) | word[1] | (word[1] - ones) | word[2] |
             (word[2] - ones) | word[3] | (word[3] - ones)) & tops)
            break;
        at += 32;
    }
    while (at < end && *at != '\0' && (unsigned char)*at < 0x80)
        at++;
    return at;
}

size_t hsi_utf8_valid_prefix(const char *text, size_t length)
{
    const char *at = text, *end = text + length;

    for (;;) {
        size_t bytes;

        at = skip_ascii(at, end);
        if (at == end || *at == '\0')
            break;
        bytes = hsi_utf8_character_bytes(at, (size_t)(end - at));
        if (bytes == 0 || bytes > (size_t)(end - at))
            break;
        at += bytes;
    }
    return (size_t)(at - text);
}

uint32_t hsi_utf8_decode(const char *text, size_t length, size_t *size)
{
    size_t   bytes = hsi_utf8_character_bytes(text, length);
    uint32_t c = (unsigned char)text[0];

    *size = 1;
    if (bytes == 0 || bytes > length)
        return HSI_MALFORMED;
    if (bytes > 1)
        c &= 0x7fu >> bytes;
    for (size_t i = 1; i < bytes; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3fu);
    *size = bytes;
    return c;
}

bool hsi_utf8_is_printable(uint32_t character)
{
    static const struct {
        uint32_t first, last;
    } hidden[] = {{0, 0x1f},         {0x7f, 0x9f},     {0x61c, 0x61c}, {0x200e, 0x200f},
                  {0x2028, 0x202e}, {0x2066, 0x206f}, {0xfff9, 0xfffb}};

    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (character >= hidden[i].first && character <= hidden[i].last)
            return false;
    return character != HSI_MALFORMED;
}
