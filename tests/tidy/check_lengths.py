"""Files have at most 500 lines, C++ functions at most 70, signature included."""

import re

from tidy_common import CPP, blank, files, main, read

FILE_LINES = 500
FUNCTION_LINES = 70

_TOKEN = re.compile(r"[A-Za-z_]\w*|::|->|\[\[|\]\]|[^\s\w]|\d[\w.']*")
_DIRECTIVE = re.compile(r"(?m)^[ \t]*#(?:[^\n]*\\\n)*[^\n]*")
_OPEN, _CLOSE = {"(": ")", "[": "]", "[[": "]]"}, {")", "]", "]]"}
_CLASS_KEYS = {"class", "struct", "union", "enum"}
# What may stand between a function's parameters and its body.
_QUALIFIERS = {")", "const", "noexcept", "override", "final", "volatile", "mutable", "try", "&"}


def _without_template(head):
    """Drops leading `template <...>`, whose parameters would look like classes."""
    while head and head[0] == "template":
        depth = 0
        for index, token in enumerate(head):
            depth += (token == "<") - (token == ">")
            if token == ">" and depth == 0:
                head = head[index + 1 :]
                break
        else:
            return head
    return head


def _top_level(head):
    """The tokens outside of parentheses and brackets, whose closing tokens stay."""
    result, depth = [], 0
    for token in head:
        if token in _CLOSE:
            depth = max(0, depth - 1)
        if depth == 0:
            result.append(token)
        if token in _OPEN:
            depth += 1
    return result


def kind(head):
    """What a brace opens, given the tokens of its statement so far: namespace, class, function or
    init, which stands for every other list in braces."""
    top = _top_level(_without_template(head))
    if "namespace" in top and "(" not in top[top.index("namespace") :]:
        return "namespace"
    if top[:1] == ["extern"] and "(" not in top:
        return "namespace"
    keys = [i for i, token in enumerate(top) if token in _CLASS_KEYS]
    if keys:
        rest = [x for i, x in enumerate(top) if i > keys[-1] and top[i - 1] not in ("alignas", "(")]
        if "(" not in rest and "=" not in rest:
            return "class"
    if not top or top[-1] == "=":
        return "init"
    parameters = top.index(")") if ")" in top else -1
    if "=" in top and "operator" not in top[: top.index("=")]:
        after = top[top.index("=") + 1 :]
        return "function" if after[:1] == ["["] else "init"
    if parameters < 0:
        return "init"
    after = top[parameters + 1 :]
    if ":" in after:
        # A member of the initialiser list, unless the list is complete.
        return "function" if top[-1] in (")", "}") else "init"
    if top[-1] in _QUALIFIERS or "->" in after or "requires" in after:
        return "function"
    return "init"


def _name(head):
    top = _top_level(_without_template(head))
    if "operator" in top:
        index = top.index("operator")
        return "".join(top[index : index + 2])
    before = top[: top.index("(")] if "(" in top else top
    return next((x for x in reversed(before) if re.match(r"\w", x)), "lambda")


class _Scope:
    def __init__(self, what, name, line):
        self.what, self.name, self.line = what, name, line
        self.head, self.head_line, self.depth = [], 0, 0


def functions(text):
    """Yields (name, first line, last line) of the functions of a C++ text. What is defined inside
    of a function belongs to it."""
    text = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), blank(text))
    scopes, position, line = [_Scope("namespace", "", 1)], 0, 1
    for match in _TOKEN.finditer(text):
        token = match[0]
        line += text.count("\n", position, match.start())
        position = match.start()
        scope = scopes[-1]
        if token == "{":
            what = "block" if scope.what in ("function", "block") else kind(scope.head)
            name = _name(scope.head) if what == "function" else ""
            scopes.append(_Scope(what, name, scope.head_line or line))
        elif token == "}":
            if len(scopes) > 1:
                scopes.pop()
            outer = scopes[-1]
            if scope.what == "function":
                yield scope.name, scope.line, line
            if scope.what == "init":
                outer.head.append(token)
            elif outer.depth == 0:
                outer.head, outer.head_line = [], 0
        elif token == ";" and scope.depth == 0:
            scope.head, scope.head_line = [], 0
        elif token == ":" and scope.head in (["public"], ["private"], ["protected"]):
            scope.head, scope.head_line = [], 0
        else:
            scope.depth = max(0, scope.depth + (token in _OPEN) - (token in _CLOSE))
            scope.head_line = scope.head_line or line
            if scope.what not in ("function", "block"):
                scope.head.append(token)


def check(root):
    for path in files(root, suffixes=CPP + (".py", ".sh", ".cmake", "CMakeLists.txt")):
        text = read(root, path) or ""
        lines = text.count("\n") + (not text.endswith("\n"))
        if lines > FILE_LINES:
            yield path, FILE_LINES + 1, f"the file has {lines} lines (at most {FILE_LINES})"
        if path.endswith(CPP):
            for name, first, last in functions(text):
                if last - first + 1 > FUNCTION_LINES:
                    yield path, first, (
                        f"function {name} has {last - first + 1} lines (at most {FUNCTION_LINES})"
                    )


if __name__ == "__main__":
    main(check)
