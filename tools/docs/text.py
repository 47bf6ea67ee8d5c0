"""Words and code as HTML.

Part of Tenon, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

import html
import re

KEYWORDS = set("auto bool break case catch char class const constexpr continue default delete do double else enum "
               "explicit false float for if inline int namespace new noexcept operator private public requires "
               "return sizeof static struct switch template this throw true try typename unsigned using void "
               "while int64_t uint64_t size_t".split())
TOKEN = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
                   r"|(?P<include>^#\w+[^\n]*)|(?P<number>\b\d[\w.+-]*?\b(?![\w.]))|(?P<word>[A-Za-z_]\w*)",
                   re.MULTILINE | re.DOTALL)

# What a set of dtypes is called.
SETS = [("integers", ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")), ("floats", ("bf16", "f16", "f32", "f64")),
        ("complex", ("c64", "c128")), ("8-bit floats", ("f8e4m3fn", "f8e5m2"))]


def escape(words):
    return html.escape(words, quote=False)


def code(source, links=None, here=None):
    """C++ with its comments, strings, numbers and keywords marked, and names of functions as links."""
    links = links or {}

    def marked(found):
        words = escape(found[0])
        if found.lastgroup != "word":
            return f'<span class="{found.lastgroup[0]}">{words}</span>'
        if found[0] in KEYWORDS:
            return f'<span class="k">{words}</span>'
        before = source[:found.start()]
        scoped = re.search(r"tn::((?:\w+::)*)$", before)
        name = scoped[1] + found[0] if scoped else None
        if name in links and name != here:
            return f'<a href="{links[name]}">{words}</a>'
        return words

    result, at = [], 0
    for found in TOKEN.finditer(source):
        result += [escape(source[at:found.start()]), marked(found)]
        at = found.end()
    return "".join(result) + escape(source[at:])


def prose(words, links=None, here=None):
    """Words with code between back quotes; a name of a function there, or before a parenthesis, is a link."""

    def quoted(found):
        link = (links or {}).get(found[1].removeprefix("tn::"))
        inner = f"<code>{escape(found[1])}</code>"
        return f'<a href="{link}">{inner}</a>' if link and found[1] != here else inner

    def called(found):
        link = (links or {}).get(found[1])
        return f'<a href="{link}">{found[1]}</a>(' if link and found[1] != here else found[0]

    return "".join(re.sub(r"`([^`]+)`", quoted, piece) if piece.startswith("`") else
                   re.sub(r"(?<![\w.:])([a-z]\w+)\(", called, escape(piece))
                   for piece in re.split(r"(`[^`]+`)", words))


def dtypes(names):
    """bool, integers, floats ...: sets of dtypes by their names, what is in none by its own."""
    left, words = list(names), []
    if "bool" in left or "bool_" in left:
        words.append("bool")
        left = [name for name in left if name not in ("bool", "bool_")]
    for title, members in SETS:
        if set(members) <= set(left):
            words.append(title)
            left = [name for name in left if name not in members]
    return ", ".join(words + left)
