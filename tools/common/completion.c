/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/completion.h"

#include <stdbool.h>

#include "common/help.h"

/* Print the name of the shell function: hsched-solve gives _hsched_solve. */
static void function_name(const tool_spec *tool, FILE *out)
{
    fputc('_', out);
    for (const char *c = tool->name; *c; c++)
        fputc(*c == '-' ? '_' : *c, out);
}

static void print_words(const option_spec *spec, FILE *out)
{
    char        buffer[OPTION_WORD_SIZE];
    const char *text;

    for (size_t i = 0; (text = option_word(spec, i, buffer)); i++)
        fprintf(out, "%s%s", i ? " " : "", text);
}

/* Print the words allowed as operands. */
static void print_operands(const tool_spec *tool, FILE *out)
{
    print_words(&(option_spec){.value = {.word = tool->word}}, out);
}

/* Print the case "-a|--algorithm)" and the completion words of the option's argument. */
static void bash_case(const option_spec *spec, FILE *out)
{
    fputs("    ", out);
    if (spec->letter)
        fprintf(out, "-%c|", spec->letter);
    fprintf(out, "--%s)", spec->name);
    if (!spec->value.word && spec->value.kind != ARGUMENT_WORD &&
        spec->value.kind != ARGUMENT_LIST) {
        fputs(" return ;;\n", out); /* no words: readline completes file names */
        return;
    }
    fputs("\n        words='", out);
    print_words(spec, out);
    fputs("'", out);
    if (spec->value.kind == ARGUMENT_LIST)
        fputs("\n        case $cur in *,*) before=${cur%,*}, ;; esac", out);
    fputs(" ;;\n", out);
}

static void bash_any(const tool_spec *tool, FILE *out)
{
    const option_spec *spec;

    fputs("    *)\n        case $cur in\n        -*) words='", out);
    for (size_t i = 0; (spec = option_at(tool, i)); i++)
        fprintf(out, "%s--%s", i ? " " : "", spec->name);
    fputs("' ;;\n        *) ", out);
    if (tool->word) {
        fputs("words='", out);
        print_operands(tool, out);
        fputs("' ;;\n", out);
    } else {
        fputs("return ;;\n", out);
    }
    fputs("        esac ;;\n", out);
}

void completion_bash(const tool_spec *tool, FILE *out)
{
    const option_spec *spec;

    fprintf(out, "# bash completion of %s, made by %s --completion bash\n", tool->name,
            tool->name);
    function_name(tool, out);
    fputs("()\n{\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local words= before=\n\n"
          "    # bash splits --option=value into three words.\n"
          "    if [[ $cur == '=' ]]; then\n"
          "        cur=\n"
          "    elif [[ $prev == '=' ]]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    COMPREPLY=()\n"
          "    case $prev in\n", out);
    for (size_t i = 0; (spec = option_at(tool, i)); i++)
        if (spec->value.kind != ARGUMENT_NONE)
            bash_case(spec, out);
    bash_any(tool, out);
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$words\" -- \"${cur##*,}\")\n"
          "}\n"
          "complete -o bashdefault -o default -F ", out);
    function_name(tool, out);
    fprintf(out, " %s\n", tool->name);
}

/* Print text escaped for '...[explanation]' of _arguments. */
static void zsh_text(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void zsh_argument(const option_spec *spec, FILE *out)
{
    fputc(':', out);
    zsh_text(spec->argument, out);
    fputc(':', out);
    switch (spec->value.kind) {
    case ARGUMENT_FILE:
        fputs("_files", out);
        break;
    case ARGUMENT_NAME:
    case ARGUMENT_WORD:
        fputc('(', out);
        print_words(spec, out);
        fputc(')', out);
        break;
    case ARGUMENT_LIST:
        fputs("_sequence compadd - ", out);
        print_words(spec, out);
        break;
    case ARGUMENT_NONE:
    case ARGUMENT_WHOLE:
    case ARGUMENT_REAL:
    case ARGUMENT_TIME:
    case ARGUMENT_TEXT:
        fputc(' ', out);
        break;
    }
}

static void zsh_option(const option_spec *spec, FILE *out)
{
    bool takes = spec->value.kind != ARGUMENT_NONE;

    if (spec->letter)
        fprintf(out, "    '(-%c --%s)'{-%c%s,--%s%s}'[", spec->letter, spec->name, spec->letter,
                takes ? "+" : "", spec->name, takes ? "=" : "");
    else
        fprintf(out, "    '--%s%s[", spec->name, takes ? "=" : "");
    zsh_text(spec->help, out);
    fputc(']', out);
    if (takes)
        zsh_argument(spec, out);
    fputs("' \\\n", out);
}

void completion_zsh(const tool_spec *tool, FILE *out)
{
    const option_spec *spec;

    fprintf(out, "#compdef %s\n# zsh completion of %s, made by %s --completion zsh\n"
                 "_arguments -s -S \\\n", tool->name, tool->name, tool->name);
    for (size_t i = 0; (spec = option_at(tool, i)); i++)
        zsh_option(spec, out);
    fputs("    '*:", out);
    zsh_text(tool->operands, out);
    if (tool->word) {
        fputs(":(", out);
        print_operands(tool, out);
        fputs(")'\n", out);
    } else {
        fputs(":_files'\n", out);
    }
}
