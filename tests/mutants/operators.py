# SPDX-License-Identifier: BSD-3-Clause
"""Small mistakes in C sources of this project's style, found by their tokens: functions begin with a
brace in the first column, binary operators stand between spaces, pointers before names do not."""

import re

TOKEN = re.compile(r"""
    (?P<space>\s+|/\*.*?\*/|//[^\n]*|(?<![^\n])[ ]*\#(?:[^\n]*\\\n)*[^\n]*)
  | (?P<text>(?:L|u8?|U)?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||.)""", re.X | re.S)
KEYWORDS = set("if else for while do switch case default return goto break continue sizeof static const "
               "struct enum union typedef extern".split())
SWAPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
           "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<",
           "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "++": "--", "--": "++"}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=")
CLOSING = {"(": ")", "[": "]", "{": "}"}
SYMMETRIC = ("fmin", "fmax")
NOTHING = ("0", "false", "NULL", "HS_NONE", "HS_OK", "0.0")


class Token:
    def __init__(self, kind, text, at):
        self.kind, self.text, self.at, self.end = kind, text, at, at + len(text)


class Mistake:
    """A replacement of text[at:end] by `new` in a function."""

    def __init__(self, operator, function, at, end, new):
        self.operator, self.function, self.at, self.end, self.new = operator, function, at, end, new

    def changed(self, text):
        return text[:self.at] + self.new + text[self.end:]

    def lines(self, text):
        """Return the number of the first changed line, and the changed lines before and after, with
        lines above them until the text occurs once."""
        first, last = text.rfind("\n", 0, self.at) + 1, text.find("\n", self.end)
        number = text.count("\n", 0, self.at) + 1
        while first > 0 and text.count(text[first:last]) > 1:
            first = text.rfind("\n", 0, first - 1) + 1
        was, now = text[first:last], text[first:self.at] + self.new + text[self.end:last]
        return number, " ".join(was.split()), " ".join(now.split())


def tokens_of(text):
    return [Token(match.lastgroup, match.group(), match.start())
            for match in TOKEN.finditer(text) if match.lastgroup != "space"]


def functions_of(text, tokens):
    """Yield the name and the tokens of each function's body, with the braces."""
    begin, head = None, 0
    for i, token in enumerate(tokens):
        in_first_column = token.at == 0 or text[token.at - 1] == "\n"
        if token.text == "{" and in_first_column:
            begin = i
        elif token.text == "}" and in_first_column:
            if begin is not None:
                names = [a.text for a, b in zip(tokens[head:begin], tokens[head + 1:begin])
                         if b.text == "(" and a.kind == "name"]
                yield names[0] if names else "", tokens[begin:i + 1]
            begin, head = None, i + 1
        elif token.text == ";" and begin is None:
            head = i + 1


def closing(body, i):
    """Return the index of the bracket that closes the bracket at index i."""
    open_, depth = body[i].text, 0
    for j in range(i, len(body)):
        depth += (body[j].text == open_) - (body[j].text == CLOSING[open_])
        if depth == 0:
            return j
    return None


def ends_operand(token):
    return token.kind in ("name", "number") and token.text not in KEYWORDS or token.text in (")", "]")


def operand_before(body, i):
    """Return the index of the first token of the simple operand that ends before index i, or None."""
    j = i - 1
    while body[j].kind in ("name", "number") and body[j].text not in KEYWORDS:
        if body[j - 1].text not in (".", "->"):
            return j
        j -= 2
    return None


def operand_after(body, i):
    """Return the index behind the simple operand that begins after index i, or None."""
    j = i + 1
    while body[j].kind in ("name", "number") and body[j].text not in KEYWORDS:
        if body[j + 1].text not in (".", "->"):
            return j + 1 if body[j + 1].text not in ("(", "[", "++", "--") else None
        j += 2
    return None


def mistakes_of(text):
    """Return all mistakes that the operators make in a text."""
    found = []

    def of_function(name, body):
        def add(operator, first, last, new):
            found.append(Mistake(operator, name, body[first].at, body[last].end, new))

        for i, token in enumerate(body[1:-1], 1):
            signs(body, i, token, add)
            constants(body, i, token, add)
            statements(text, body, i, token, add)
            conditions(text, body, i, token, add)
            arguments(text, body, i, token, add)

    for name, body in functions_of(text, tokens_of(text)):
        of_function(name, body)
    return found


def signs(body, i, token, add):
    before, after = body[i - 1], body[i + 1]
    spaced = before.end < token.at and token.end < after.at and ends_operand(before)
    if token.text not in SWAPPED or not (spaced or token.text in ("++", "--")):
        return
    add("comparison" if token.text in COMPARISONS else
        "logic" if token.text in ("&&", "||") else "arithmetic", i, i, SWAPPED[token.text])
    if token.text in ("-", "/", "%"):
        first, end = operand_before(body, i), operand_after(body, i)
        if first and end:
            left = "".join(t.text for t in body[first:i])
            right = "".join(t.text for t in body[i + 1:end])
            if left != right:
                add("operands", first, end - 1, "%s %s %s" % (right, token.text, left))


def constants(body, i, token, add):
    if token.text in ("true", "false"):
        add("constant", i, i, "false" if token.text == "true" else "true")
    elif re.fullmatch(r"[0-9]+[uUlL]*", token.text):
        digits = re.match("[0-9]+", token.text).group()
        rest = token.text[len(digits):]
        add("constant", i, i, "%d%s" % (int(digits) + 1, rest))
        if int(digits) > 0:
            add("constant", i, i, "%d%s" % (int(digits) - 1, rest))
    elif re.fullmatch(r"[0-9]*\.[0-9]+|[0-9]+e-?[0-9]+", token.text):
        add("constant", i, i, "(%s + 1)" % token.text)


def begins_statement(body, i):
    before = body[i - 1].text
    if before in (";", "{", "}", "else"):
        return True
    if before != ")":
        return False
    depth, j = 0, i - 1
    while j > 0: # the bracket of if (...), for (...) or while (...)
        depth += (body[j].text == ")") - (body[j].text == "(")
        if depth == 0:
            return body[j - 1].text in ("if", "for", "while")
        j -= 1
    return False


def statements(text, body, i, token, add):
    if not begins_statement(body, i):
        return
    if token.text in ("break", "continue"):
        add("jump", i, i, "continue" if token.text == "break" else "break")
        add("jump", i, i, "")
        return
    expression = (token.kind == "name" and token.text not in KEYWORDS
                  and body[i + 1].text in ("(", ".", "->", "[", "++", "--") + ASSIGNMENTS
                  or token.text in ("++", "--", "*", "("))
    if not expression:
        return
    depth, assigned = 0, None
    for j in range(i, len(body)):
        if body[j].text == ";" and depth == 0:
            break
        depth += (body[j].text in CLOSING) - (body[j].text in CLOSING.values())
        if depth < 0:
            return # in the head of a loop
        if depth == 0 and body[j].text == "=":
            assigned = j
    else:
        return
    if assigned is None:
        add("call" if body[j - 1].text == ")" else "statement", i, j - 1, "")
    else:
        add("reset" if body[assigned + 1].text in NOTHING and assigned + 2 == j else "assignment",
            i, j - 1, "")


def conditions(text, body, i, token, add):
    if token.text not in ("if", "while") or body[i + 1].text != "(":
        return
    end = closing(body, i + 1)
    if end is None:
        return
    condition = text[body[i + 2].at:body[end - 1].end]
    add("condition", i + 2, end - 1, "!(%s)" % condition)
    if token.text == "if" and body[end + 1].text in ("return", "goto"):
        add("check", i + 2, end - 1, "(%s) && 0" % condition)


def arguments(text, body, i, token, add):
    """Swap two neighbouring arguments of a call."""
    if token.text != "(" or body[i - 1].kind != "name" or body[i - 1].text in KEYWORDS or body[i - 1].text in SYMMETRIC:
        return
    end, starts, depth = closing(body, i), [i + 1], 0
    for j in range(i + 1, end or 0):
        depth += (body[j].text in CLOSING) - (body[j].text in CLOSING.values())
        if depth == 0 and body[j].text == ",":
            starts.append(j + 1)
    if end is None or len(starts) < 2:
        return
    starts.append(end + 1)
    parts = [(a, b - 2) for a, b in zip(starts, starts[1:])]
    for (a, b), (c, d) in zip(parts, parts[1:]):
        left, right = text[body[a].at:body[b].end], text[body[c].at:body[d].end]
        if left != right:
            add("operands", a, d, "%s, %s" % (right, left))
