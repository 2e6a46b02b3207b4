/* SPDX-License-Identifier: BSD-3-Clause */
/* Find the program that a shell command starts with, without running a shell. */
#include <string.h>

#include <hybridsched/cost.h>

enum { LONGEST = 512 }; /* limit for a program's name in bytes */

/* Built-in words of /bin/sh, which need no file in PATH. */
static const char *const own[] = {
    "!",     ".",      ":",    "[",     "alias", "break", "case", "cd",   "command", "continue",
    "echo",  "eval",   "exec", "exit",  "export", "false", "for",  "hash", "if",      "kill",
    "local", "printf", "pwd",  "read",  "readonly", "return", "set", "shift", "test", "time",
    "times", "trap",   "true", "type",  "ulimit", "umask", "unset", "until", "wait",  "while"};

static bool is_own(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i][0] == word[0] && strncmp(own[i], word, length) == 0 && !own[i][length])
            return true;
    return false;
}

static bool has_any(const char *word, size_t length, const char *characters)
{
    return strcspn(word, characters) < length;
}

/* Return whether the word, free of special characters, is NAME=VALUE. */
static bool is_assignment(const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);

    return equals && equals > word &&
           strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               (size_t)(equals - word);
}

const char *hs_command_program(const char *command, size_t *length)
{
    static const char odd[] = "$`\"'\\*?[]{}()<>|&;#~!%^";

    for (;; command += *length) {
        command += strspn(command, " \t\n");
        *length = strcspn(command, " \t\n;|&<>()");
        if (*length == 0 || *length >= LONGEST || has_any(command, *length, odd))
            return NULL;
        if (!is_assignment(command, *length))
            break;
    }
    return is_own(command, *length) ? NULL : command;
}
