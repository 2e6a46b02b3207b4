/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/import/speedup.h"

#include "io/text/field_value.h"

static bool parse_rule(hsi_text rule, hsi_speedup_rule *out)
{
    const char *end = rule.at + rule.length, *value = end;

    while (value > rule.at && value[-1] != '=')
        value--;
    out->pattern = (hsi_text){"*", 1};
    if (value > rule.at)
        out->pattern = (hsi_text){rule.at, (size_t)(value - 1 - rule.at)};
    if (end - value == 4 && memcmp(value, "none", 4) == 0) {
        out->factor = 0;
        return true;
    }
    return hsi_text_to_number(value, (size_t)(end - value), &out->factor) && out->factor > 0;
}

hs_status hsi_speedup_parse(hsi_speedup *s, const char *text, hsi_text *bad)
{
    *s = (hsi_speedup){{0}};
    while (text) {
        hsi_text         rule = {text, strcspn(text, ",")};
        hsi_speedup_rule parsed;

        if (!parse_rule(rule, &parsed)) {
            *bad = rule;
            return HS_EINVAL;
        }
        if (hsi_vector_append(&s->rules, &parsed, sizeof parsed))
            return HS_ENOMEM;
        text = text[rule.length] ? text + rule.length + 1 : NULL;
    }
    return HS_OK;
}

void hsi_speedup_free(hsi_speedup *s)
{
    hsi_vector_free(&s->rules);
}

/*
 * Return whether a pattern with '*' matches the name. On a mismatch the last star takes one more
 * character: O(product of the lengths).
 */
static bool fits(hsi_text pattern, hsi_text name)
{
    size_t p = 0, n = 0, star = SIZE_MAX, taken = 0;

    while (n < name.length) {
        if (p < pattern.length && pattern.at[p] == '*') {
            star = p++;
            taken = n;
        } else if (p < pattern.length && pattern.at[p] == name.at[n]) {
            p++;
            n++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            n = ++taken;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.at[p] == '*')
        p++;
    return p == pattern.length;
}

double hsi_speedup_of(const hsi_speedup *s, hsi_text name)
{
    const hsi_speedup_rule *rule = s->rules.data;

    for (size_t i = 0; i < s->rules.size / sizeof *rule; i++)
        if (fits(rule[i].pattern, name))
            return rule[i].factor;
    return -1;
}
