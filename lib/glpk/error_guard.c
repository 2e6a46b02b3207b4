/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GLPK reports programming errors and lack of memory through its error hook and then aborts the
 * process, unless the hook frees the thread's GLPK environment and jumps out. This frees all GLPK
 * objects of the thread: a program that uses GLPK in the same thread loses its objects in this
 * case, and only then. GLPK prints errors even with terminal output off, hence the second hook.
 * GLPK cannot report which hooks were set before, so both hooks are empty afterwards.
 *
 * An environment that the call creates is freed at the end, since nothing else would free it when
 * the thread ends.
 */
#include "glpk/error_guard.h"

#include <glpk.h>
#include <setjmp.h>
#include <string.h>

typedef struct guard {
    jmp_buf jump;
    bool    out_of_memory;
} guard;

static int discard_output(void *data, const char *text)
{
    guard *g = data;

    g->out_of_memory |= strstr(text, "memory") != NULL;
    return 1; /* do not print */
}

static void jump_to_guard(void *data)
{
    glp_free_env();
    longjmp(((guard *)data)->jump, 1);
}

hs_status hsi_glpk_guarded(hs_status (*work)(void *data), void *data)
{
    guard     g;
    hs_status st;
    int       already_there = glp_init_env(), terminal;

    if (already_there > 1)
        return HS_ENOMEM;
    terminal = glp_term_out(GLP_OFF);
    g.out_of_memory = false;
    if (setjmp(g.jump)) {
        /* GLPK's environment has been freed, with its objects */
        if (already_there)
            glp_term_out(terminal);
        return g.out_of_memory ? HS_ENOMEM : HS_ESOLVER;
    }
    glp_error_hook(jump_to_guard, &g);
    glp_term_hook(discard_output, &g);
    st = work(data);
    glp_error_hook(NULL, NULL);
    glp_term_hook(NULL, NULL);
    if (already_there)
        glp_term_out(terminal);
    else
        glp_free_env();
    return st;
}
