/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_IMPORT_DOT_LEXER_H
#define HSI_IO_IMPORT_DOT_LEXER_H

#include "io/import/source_text.h"
#include "support/arena.h"

/* The kinds of tokens of the DOT language. */
typedef enum hsi_dot_kind {
    HSI_DOT_END,
    HSI_DOT_ID,      /* name, number, "..." or <...> */
    HSI_DOT_KEYWORD, /* node, edge, graph, digraph, subgraph or strict, in capitals too */
    HSI_DOT_ARROW,   /* -> */
    HSI_DOT_LINE,    /* -- */
    HSI_DOT_SIGN     /* one of { } [ ] ; , = : + */
} hsi_dot_kind;

typedef struct hsi_dot_token {
    hsi_dot_kind kind;
    hsi_text     text; /* text of the token; of an ID without its quotes */
    const char  *at;
} hsi_dot_token;

typedef struct hsi_dot_lexer {
    const struct hsi_import_text *text;
    const char                   *next;
    hsi_dot_token                 token; /* token last read */
    hsi_arena                     arena; /* storage of decoded texts */
} hsi_dot_lexer;

/* Advance to the next token. */
hs_status hsi_dot_next(hsi_dot_lexer *l);

static inline bool hsi_dot_is_sign(const hsi_dot_lexer *l, char sign)
{
    return l->token.kind == HSI_DOT_SIGN && *l->token.at == sign;
}

bool hsi_dot_is_keyword(const hsi_dot_lexer *l, const char *word);

/* Report that the token last read is not `expected`. Return HS_ESYNTAX. */
hs_status hsi_dot_unexpected(const hsi_dot_lexer *l, const char *expected);

#endif
