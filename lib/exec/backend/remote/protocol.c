/* SPDX-License-Identifier: BSD-3-Clause */
#include "exec/backend/remote/protocol.h"

#include <math.h>
#include <string.h>

#include "support/decimal/decimal.h"

bool hsi_parser_add(hsi_parser *parser, const void *bytes, size_t count)
{
    hsi_vector *input = &parser->input;

    if (parser->parsed > 0) {
        input->size -= parser->parsed;
        memmove(input->data, (char *)input->data + parser->parsed, input->size);
        parser->parsed = 0;
    }
    return hsi_vector_append(input, bytes, count) == 0;
}

/* Read decimal digits, at most `most`. */
static bool read_digits(const char *text, uint64_t most, uint64_t *out)
{
    uint64_t number = 0;

    if (*text == '\0')
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t)(unsigned char)*text - '0';

        if (digit > 9 || number > (most - digit) / 10 || digit > most)
            return false;
        number = 10 * number + digit;
    }
    *out = number;
    return true;
}

/* Split the line in place. Return false if a word is empty, or if there are too many words. */
static bool split(char *line, hsi_message *message)
{
    message->words = 0;
    for (;;) {
        if (*line == ' ' || *line == '\0' || message->words == HSI_MESSAGE_WORDS)
            return false;
        message->word[message->words++] = line;
        line = strchr(line, ' ');
        if (!line)
            return true;
        *line++ = '\0';
    }
}

static hsi_parse refuse(hsi_parser *parser, const char *text, size_t length, hsi_message *message)
{
    if (length >= sizeof parser->line)
        length = sizeof parser->line - 1;
    if (length > 0)
        memcpy(parser->line, text, length);
    parser->line[length] = '\0';
    *message = (hsi_message){.words = 1, .word = {parser->line}};
    return HSI_PARSE_DEFECT;
}

/* Parse the line of `length` bytes at `text`, which has `left` bytes after its newline. Set
 * message->bytes to the announced bytes, which may be incomplete. */
static hsi_parse parse_line(hsi_parser *parser, const char *text, size_t length, size_t left,
                            hsi_message *message)
{
    const char *last;
    uint64_t    announced;

    if (memchr(text, '\0', length))
        return refuse(parser, text, length, message);
    memcpy(parser->line, text, length);
    parser->line[length] = '\0';
    *message = (hsi_message){.bytes = NULL};
    if (!split(parser->line, message))
        return refuse(parser, text, length, message);
    last = message->word[message->words - 1];
    if (last[0] != '+' || message->words == 1)
        return HSI_PARSE_MESSAGE;
    if (!read_digits(last + 1, parser->most, &announced))
        return refuse(parser, text, length, message);
    message->words--;
    message->bytes = text + length + 1;
    message->length = (size_t)announced;
    return announced > left ? HSI_PARSE_MORE : HSI_PARSE_MESSAGE;
}

/* Skip newlines: empty lines say nothing. */
static void skip_empty_lines(hsi_parser *parser)
{
    const char *data = parser->input.data;

    while (parser->parsed < parser->input.size && data[parser->parsed] == '\n')
        parser->parsed++;
}

hsi_parse hsi_parser_next(hsi_parser *parser, hsi_message *message)
{
    const char *text, *end;
    size_t      left, length;
    hsi_parse   result;

    if (parser->looked == 0)
        skip_empty_lines(parser);
    left = parser->input.size - parser->parsed;
    if (left == 0)
        return HSI_PARSE_MORE;
    text = (const char *)parser->input.data + parser->parsed;
    end = memchr(text + parser->looked, '\n', left - parser->looked);
    length = end ? (size_t)(end - text) : left;
    if (length >= HSI_MESSAGE_LINE)
        return refuse(parser, text, length, message);
    parser->looked = length;
    if (!end)
        return HSI_PARSE_MORE;
    result = parse_line(parser, text, length, left - length - 1, message);
    if (result != HSI_PARSE_MESSAGE)
        return result;
    parser->parsed += length + 1 + (message->bytes ? message->length : 0);
    parser->looked = 0;
    return HSI_PARSE_MESSAGE;
}

static const char dead[] = "\ndead\n";

bool hsi_parser_ends_dead(const hsi_parser *parser)
{
    const size_t size = parser->input.size, length = sizeof dead - 1;

    return size >= length &&
           memcmp((const char *)parser->input.data + size - length, dead, length) == 0;
}

void hsi_parser_skip(hsi_parser *parser)
{
    const size_t left = parser->input.size - parser->parsed;

    if (left > sizeof dead)
        parser->parsed += left - sizeof dead;
    parser->looked = 0;
}

void hsi_parser_free(hsi_parser *parser)
{
    hsi_vector_free(&parser->input);
}

bool hsi_message_is(const hsi_message *message, const char *name, unsigned words, bool bytes)
{
    return message->words == words && (message->bytes != NULL) == bytes &&
           strcmp(message->word[0], name) == 0;
}

bool hsi_message_number(const hsi_message *message, unsigned word, uint64_t most, uint64_t *out)
{
    return read_digits(message->word[word], most, out);
}

bool hsi_message_real(const hsi_message *message, unsigned word, double *out)
{
    const char *text = message->word[word], *end = text + strlen(text);

    if (strcmp(text, "nan") == 0) {
        *out = NAN;
        return true;
    }
    return hsi_decimal_read(text, end, out) == end && isfinite(*out);
}
