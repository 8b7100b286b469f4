"""Writes a libFuzzer dictionary of what means something in a scenario file.

usage: dictionary.py SCHEMA DICTIONARY
"""

import json
import sys

# What means something to YAML, and values of every kind.
TOKENS = [
    ": ", "- ", "? ", "[", "]", "{", "}", ", ", "&a ", "*a", "<<: ", "# ", "---\n", "...\n", "%YAML 1.1\n",
    "!!str ", "|\n", ">-\n", "\"", "'", "\\x", "\\u", "\r\n", "\n  ", "\n    ", "\xef\xbb\xbf", "\xc2\x85",
    "null", "~", "true", "false", "yes", "0", "1", "-1", "1e999", "0.5", "50%", "100%", "10000000",
    "9223372036854775807", "0s", "1ns", "1ms", "1.5h", "1m30s", "8760h", "us-east1", "checkout", "web",
    "us-east1/checkout/web", "shop",
]  # fmt: skip


def words(schema):
    """Yields every key and every name of a value."""
    if isinstance(schema, list):
        for x in schema:
            yield from words(x)
    elif isinstance(schema, dict):
        yield from (f"{key}: " for key in schema.get("properties", {}))
        yield from (x for x in schema.get("enum", []) if isinstance(x, str))
        for x in schema.values():
            yield from words(x)


def quoted(text):
    """The text as libFuzzer reads it: anything unusual as a hexadecimal byte."""
    plain = (chr(x) if 32 <= x < 127 and chr(x) not in '"\\' else f"\\x{x:02x}"
             for x in text.encode("latin-1"))
    return '"' + "".join(plain) + '"'


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = sorted(set(words(json.load(file))))
    with open(sys.argv[2], "w", encoding="ascii") as file:
        file.writelines(quoted(x) + "\n" for x in TOKENS + found)


if __name__ == "__main__":
    main()
