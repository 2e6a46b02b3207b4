/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Command-line options. One table per tool drives getopt_long(), --help and the completions, and
 * says where each value goes in the tool's own struct `command_line`. Every tool has --help,
 * --version and --completion, which are not in its table.
 */

/** The kind of an argument, for completion and for storing its value. */
typedef enum argument_kind {
    ARGUMENT_NONE,  /* no argument; stores 1 in an int */
    ARGUMENT_WHOLE, /* integer in [least, most]; stored in 4 or 8 bytes */
    ARGUMENT_REAL,  /* double in [least, most] */
    ARGUMENT_TIME,  /* double in seconds in [least, most]; unit optional: 90, 90s, 5m, 1.5h */
    ARGUMENT_TEXT,  /* const char *; FILE, NAME and LIST store the same type */
    ARGUMENT_FILE,
    ARGUMENT_NAME,  /* any text; the option's words are completions */
    ARGUMENT_WORD,  /* word of the option; stores its index in an enum or an int */
    ARGUMENT_LIST   /* several words of the option, separated by commas */
} argument_kind;

/** Return word `index` of a list; NULL past the last. */
typedef const char *(*word_at)(size_t index);

typedef struct options options;

/** The argument of an option, and where its value is stored. */
typedef struct option_value {
    argument_kind kind;
    word_at       word;     /* words of NAME, WORD and LIST; NULL: `argument` lists them, "a|b|c" */
    size_t        at, size; /* offset and size of the member in command_line */
    double        least, most;
    void (*take)(const options *o, void *line); /* stores the value instead; NULL: store by kind */
    unsigned      scope;    /* set of bits whose meaning the tool defines */
} option_value;

typedef struct option_spec {
    int          letter;   /* short option; 0: none */
    const char  *name;     /* --NAME */
    const char  *argument; /* argument name in --help, e.g. "FILE"; NULL: none */
    option_value value;
    const char  *help;     /* one or two sentences; --help wraps the lines */
} option_spec;

/* Initialisers of an option_value, without the braces. */
#define OPTION_INTO(member) \
    .at = offsetof(command_line, member), .size = sizeof(((command_line *)0)->member)
#define OPTION_FLAG(member) .kind = ARGUMENT_NONE, OPTION_INTO(member)
#define OPTION_WHOLE(member, from, to) \
    .kind = ARGUMENT_WHOLE, OPTION_INTO(member), .least = (from), .most = (to)
#define OPTION_REAL(member, from, to) \
    .kind = ARGUMENT_REAL, OPTION_INTO(member), .least = (from), .most = (to)
#define OPTION_TIME(member, from, to) \
    .kind = ARGUMENT_TIME, OPTION_INTO(member), .least = (from), .most = (to)
#define OPTION_TEXT(member)        .kind = ARGUMENT_TEXT, OPTION_INTO(member)
#define OPTION_FILE(member)        .kind = ARGUMENT_FILE, OPTION_INTO(member)
#define OPTION_NAME(words, member) .kind = ARGUMENT_NAME, .word = (words), OPTION_INTO(member)
#define OPTION_WORD(words, member) .kind = ARGUMENT_WORD, .word = (words), OPTION_INTO(member)
#define OPTION_LIST(words, member) .kind = ARGUMENT_LIST, .word = (words), OPTION_INTO(member)
#define OPTION_CALL(what, words, function) .kind = (what), .word = (words), .take = (function)
#define OPTION_ANY 0x1p64 /* largest bound: any 64-bit value */

typedef struct tool_spec {
    const char        *name;     /* e.g. "hsched-solve" */
    const char        *operands; /* e.g. "INSTANCE..." */
    const char        *summary;  /* paragraph; --help wraps the lines */
    const option_spec *options;  /* terminated by an entry with a NULL name */
    word_at            word;     /* words for operands; NULL: operands are files */
    /* Prints the end of --help; `line` has the options before --help. May be NULL. */
    void (*epilogue)(FILE *out, const void *line);
    const char *hint;   /* end of the message about an unknown option, e.g. "; use --"; NULL: none */
    const char *within; /* name of the enclosing tool, which disables --help; NULL: none */
} tool_spec;

/** A parsed command line. */
struct options {
    const tool_spec   *tool;
    int                argc;
    char             **argv;
    uint64_t           given;   /* a bit for each option of the tool's table that was given */
    const option_spec *current; /* option being stored */
    const char        *value;   /* argument of `current`; NULL: none */
};

/**
 * Set up messages and output files and parse all options into `line`, the tool's command line. Call
 * this function first in main(). A wrong option ends the program (exit 2); --help, --version and
 * --completion end it too (exit 0).
 */
void options_read(options *o, const tool_spec *tool, int argc, char **argv, void *line);

/** Return whether the option `name` of the tool's table was given. */
int options_given(const options *o, const char *name);

/** Return the next operand, NULL past the last. */
const char *options_operand(options *o);
size_t      options_operand_count(const options *o); /* number of operands left */

/**
 * Parse `text` as a number in [least, most]. If it is not such a number, call usage_error() with
 * `what`.
 */
uint64_t parse_unsigned(const char *what, const char *text, uint64_t least, uint64_t most);
double   parse_double(const char *what, const char *text, double least, double most);

/**
 * Parse a duration and return seconds: a number followed by ms, s (the default), m, min, h or d.
 */
double parse_time(const char *what, const char *text, double least, double most);

/**
 * Copy the next element of a comma-separated list to `element` and advance *rest. Return false past
 * the last element, or when *rest is NULL. An empty or overlong element is a usage error.
 */
bool list_next(const char *what, const char **rest, char *element, size_t size);

/**
 * Return word `index` of an option; NULL past the last. `buffer` holds words taken from `argument`.
 */
enum { OPTION_WORD_SIZE = 32 };
const char *option_word(const option_spec *spec, size_t index, char buffer[OPTION_WORD_SIZE]);

#endif
