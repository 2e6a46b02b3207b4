/* SPDX-License-Identifier: BSD-3-Clause */
/* The edit distance between a word and a known name, to suggest the name for a misspelt word. */
#include <string.h>

#include <hybridsched/io.h>

enum { LONGEST = 63, SHORTEST_PREFIX = 3 };

typedef struct word {
    char     letters[LONGEST + 1];
    unsigned length;
} word;

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * Copy a name in lower case without leading and trailing blanks; return false if it is empty or too
 * long.
 */
static bool take(const char *at, size_t length, word *out)
{
    while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t'))
        length--;
    for (; length > 0 && (*at == ' ' || *at == '\t'); length--)
        at++;
    if (length == 0 || length > LONGEST)
        return false;
    out->length = (unsigned)length;
    for (size_t i = 0; i < length; i++)
        out->letters[i] = small(at[i]);
    return true;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/*
 * Return the number of letters to change, add or remove, or neighbours to swap, that turn one word
 * into the other. Only the last three rows of the usual table are kept.
 */
static unsigned edits(const word *a, const word *b)
{
    unsigned row[3][LONGEST + 1], i, j;

    for (j = 0; j <= b->length; j++)
        row[0][j] = j;
    for (i = 1; i <= a->length; i++) {
        unsigned *now = row[i % 3], *before = row[(i + 2) % 3], *swapped = row[(i + 1) % 3];

        now[0] = i;
        for (j = 1; j <= b->length; j++) {
            bool differ = a->letters[i - 1] != b->letters[j - 1];

            now[j] = least(least(before[j], now[j - 1]) + 1, before[j - 1] + (unsigned)differ);
            if (i > 1 && j > 1 && a->letters[i - 1] == b->letters[j - 2] &&
                a->letters[i - 2] == b->letters[j - 1])
                now[j] = least(now[j], swapped[j - 2] + 1);
        }
    }
    return row[a->length % 3][b->length];
}

unsigned hs_name_distance(const char *given, size_t length, const char *name)
{
    word     a, b;
    unsigned distance;

    if (!take(given, length, &a) || !take(name, strlen(name), &b))
        return HS_NOT_NEAR;
    distance = edits(&a, &b);
    if (a.length >= SHORTEST_PREFIX && a.length < b.length &&
        memcmp(a.letters, b.letters, a.length) == 0)
        return 1;
    return distance <= (a.length > b.length ? a.length : b.length) / 3 ? distance : HS_NOT_NEAR;
}
