/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * One table a tool: it drives getopt_long(), --help and the completions, and says where each
 * value goes in the tool's own struct `command_line`. Every tool has --help, --version and
 * --completion; they are not in its table.
 */

/** What an argument is: for completion, and for what is stored. */
typedef enum argument_kind {
    ARGUMENT_NONE,  /* the option takes none; an int becomes 1 */
    ARGUMENT_WHOLE, /* in [least, most]; any integer of 4 or 8 bytes */
    ARGUMENT_REAL,  /* in [least, most]; a double */
    ARGUMENT_TIME,  /* likewise in seconds, with a unit or without: 90, 90s, 5m, 1.5h */
    ARGUMENT_TEXT,  /* a const char *, and so for FILE, NAME and LIST */
    ARGUMENT_FILE,
    ARGUMENT_NAME,  /* perhaps one of the option's words */
    ARGUMENT_WORD,  /* one of the option's words: their number in an enum or an int */
    ARGUMENT_LIST   /* some of them, separated by commas */
} argument_kind;

/** Words to choose from; NULL past the last. */
typedef const char *(*word_at)(size_t index);

typedef struct options options;

/** An option's argument, and where it goes. */
typedef struct option_value {
    argument_kind kind;
    word_at       word;     /* for NAME, WORD and LIST; NULL: they are in `argument`, "a|b|c" */
    size_t        at, size; /* of its place in the command line */
    double        least, most;
    void (*take)(const options *o, void *line); /* stores it instead; NULL: as above */
    unsigned      scope;    /* for the tool itself */
} option_value;

typedef struct option_spec {
    int          letter;   /* of the short option; 0: none */
    const char  *name;     /* --NAME */
    const char  *argument; /* what --help calls the argument, e.g. "FILE"; NULL: none */
    option_value value;
    const char  *help;     /* a sentence or two; broken into lines by --help */
} option_spec;

/* An option_value, less its braces. */
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
#define OPTION_ANY 0x1p64 /* the end of what 64 bits hold */

typedef struct tool_spec {
    const char        *name;     /* hsched-solve */
    const char        *operands; /* "INSTANCE..." */
    const char        *summary;  /* a paragraph; broken into lines by --help */
    const option_spec *options;  /* the last has name NULL */
    word_at            word;     /* what may stand as an operand; NULL: files */
    /* What --help says after the options, those before it stored in the command line; NULL. */
    void (*epilogue)(FILE *out, const void *line);
    const char *within; /* what the command line is part of, if it is: there is no --help then */
} tool_spec;

/** A command line that is read. */
struct options {
    const tool_spec   *tool;
    int                argc;
    char             **argv;
    uint64_t           given;   /* a bit for each of the tool's options that is there */
    const option_spec *current; /* the option that is being taken */
    const char        *value;   /* its argument, NULL if it takes none */
};

/**
 * Call it first in main(): sets messages and output files up and takes all options into `line`,
 * the tool's command line. A wrong option ends the program (exit 2), and so does --help,
 * --version or --completion (exit 0).
 */
void options_read(options *o, const tool_spec *tool, int argc, char **argv, void *line);

/** Was that option of the tool's table there? */
int options_given(const options *o, const char *name);

/** The next operand, NULL past the last. */
const char *options_operand(options *o);
size_t      options_operand_count(const options *o); /* how many are left */

/** Any text as a number in [least, most]; `what` names it in the message if it is none. */
uint64_t parse_unsigned(const char *what, const char *text, uint64_t least, uint64_t most);
double   parse_double(const char *what, const char *text, double least, double most);

/** A duration in seconds: a number, and behind it ms, s, m, h or d, or nothing, which is s. */
double parse_time(const char *what, const char *text, double least, double most);

/**
 * Walk a list separated by commas: copies the next element to `element` and
 * moves *rest on; 0 past the last, or when *rest is NULL. An empty or overlong
 * element is a usage error.
 */
int list_next(const char *what, const char **rest, char *element, size_t size);

/** The option's words; NULL past the last. Those of `argument` are put in `buffer`. */
enum { OPTION_WORD_SIZE = 32 };
const char *option_word(const option_spec *spec, size_t index, char buffer[OPTION_WORD_SIZE]);

#endif
