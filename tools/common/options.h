/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * One table a tool: it drives getopt_long(), --help and the completions. Every
 * tool has --help, --version and --completion; they are not in its table.
 */

/** What an argument is, for completion. */
typedef enum argument_kind {
    ARGUMENT_NONE, /* the option takes none */
    ARGUMENT_TEXT,
    ARGUMENT_FILE,
    ARGUMENT_WORD, /* one of word(0), word(1), ... */
    ARGUMENT_LIST  /* some of them, separated by commas */
} argument_kind;

/** Words to choose from; NULL past the last. */
typedef const char *(*word_at)(size_t index);

typedef struct option_spec {
    int           code;     /* the short option's letter, or OPTION_LONG and up: no letter */
    const char   *name;     /* --NAME */
    argument_kind kind;
    const char   *argument; /* what --help calls the argument, e.g. "FILE"; NULL: none */
    word_at       word;     /* for WORD and LIST */
    const char   *help;     /* a sentence or two; broken into lines by --help */
} option_spec;

enum { OPTION_LONG = 256, OPTION_OPERAND = 0 };

typedef struct tool_spec {
    const char        *name;     /* hsched-solve */
    const char        *operands; /* "INSTANCE..." */
    const char        *summary;  /* a paragraph; broken into lines by --help */
    const option_spec *options;  /* the last has name NULL */
    word_at            word;     /* what may stand as an operand; NULL: files */
    void (*epilogue)(FILE *out); /* what --help says after the options; NULL */
} tool_spec;

/** A command line being read; also gives messages and output files their set-up. */
typedef struct options {
    const tool_spec   *tool;
    int                argc;
    char             **argv;
    char               letters[160];
    struct option     *longs;
    const option_spec *current; /* the option that options_next() returned */
    const char        *value;   /* its argument, NULL if it takes none */
} options;

/** Call it first in main(). */
void options_begin(options *o, const tool_spec *tool, int argc, char **argv);

/**
 * The next option's code, -1 past the last. A wrong option ends the program
 * (exit 2), and so does --help, --version or --completion (exit 0).
 */
int options_next(options *o);

/** After the last option: the next operand, NULL past the last. */
const char *options_operand(options *o);
size_t      options_operand_count(const options *o); /* how many are left */

/** The current option's argument as a number in [least, most]; else a usage error. */
uint64_t options_unsigned(const options *o, uint64_t least, uint64_t most);
double   options_double(const options *o, double least, double most);

/** The position of the current option's argument in the option's words; else a usage error. */
size_t options_word(const options *o);

/** The same for any text; `what` names it in messages. */
uint64_t parse_unsigned(const char *what, const char *text, uint64_t least, uint64_t most);
double   parse_double(const char *what, const char *text, double least, double most);

/**
 * Walk a list separated by commas: copies the next element to `element` and
 * moves *rest on; 0 past the last, or when *rest is NULL. An empty or overlong
 * element is a usage error.
 */
int list_next(const char *what, const char **rest, char *element, size_t size);

#endif
