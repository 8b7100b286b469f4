#!/usr/bin/env python3
"""Makes docs/scenario.md from configs/scenario.schema.json.

With --check it writes nothing, and exits with 1 when the committed page is not up to date.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "configs" / "scenario.schema.json"
PAGE = ROOT / "docs" / "scenario.md"

INTRODUCTION = """\
# The scenario file

<!-- Made by scripts/scenario_docs.py from configs/scenario.schema.json. Change those. -->

A scenario is one YAML file: the regions and consumers of a world, what happens to it, and what is
expected of it. `spillover check FILE` says everything that is wrong with a file at once, as
`file:line:column: what is wrong, what is allowed`, and prints the scenario with every default made
visible.

For completion and checks while you type, let the first line be
`# yaml-language-server: $schema=./scenario.schema.json`.

* **Durations** have units: `5s`, `250ms`, `1m30s`, `1.5h`; units are `ns`, `us`, `ms`, `s`, `m`
  and `h`. Without another bound they are between `0s` and `8760h`.
* **Shares** are percentages such as `50%`, or numbers from 0 to 1.
* **Names** of services, regions and consumers follow RFC 1035: `a-z`, `0-9` and `-`, at most 63
  characters, starting with a letter. Each region and each consumer is a site and needs a name of
  its own; `director` is taken.
* **Distributions** are a duration (always the same), or one of `{exponential: {mean: 50ms}}`,
  `{lognormal: {median: 40ms, p99: 200ms}}` and `{empirical: [30ms, 45ms, 120ms]}` (each value with
  the same chance).
* **Paths** name parts of the world: `us-east1/checkout` is a published service,
  `us-east1/checkout/web` one of its backend services, `us-east1/checkout/web/v2` a revision of that.
* Plain values are read by the JSON rules of YAML 1.2: `yes` and `012` are texts. Anchors, aliases
  and merges (`<<`) are resolved. A file has at most 1 MiB, 200,000 values after resolving, 32
  levels and 4,000 bytes in one text; keys stand once. The one tag is `!file`, for faults from a
  file: see [faults.md](faults.md#fault-files).

Ids such as A-16 or B-31 name the rule that the emulator follows; "inferred" says that no source
states it.
"""

EXAMPLE = """\
## An example

configs/us-east1-brownout.yaml:

```yaml
{example}```
"""


def merged(schema, definitions):
    """The schema with its $ref followed; what stands beside the $ref wins."""
    if "$ref" not in schema:
        return schema
    # After "#/definitions"; what lies deeper is a key of a definition.
    steps = schema["$ref"].split("/")[2:]
    target = definitions
    for step in steps:
        target = target[step]
    result = merged(target, definitions)
    if len(steps) == 1:
        result = {**result, "$definition": steps[0]}
    return {**result, **{k: v for k, v in schema.items() if k != "$ref"}}


def as_yaml(value):
    """A value in one line, as a scenario writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {as_yaml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(as_yaml(x) for x in value) + "]"
    return '""' if value == "" else str(value)


def kind(schema, definitions):
    """What a value is, in a word or two."""
    definition = schema.get("$definition")
    if definition in ("duration", "share", "name", "distribution"):
        return definition
    if definition == "cold_start":
        return "distribution or runtime"
    if definition == "knative_value":
        return "text or number"
    if schema["type"] == "array":
        of = kind(merged(schema["items"], definitions), definitions)
        return "list of " + (of.replace("list", "lists", 1) if of.startswith("list") else of + "s")
    if schema["type"] == ["string", "object"]:
        return "mapping"
    if isinstance(schema["type"], list):
        words = {"array": "list", "string": "text", "integer": "whole number",
                 "boolean": "true or false"}
        return " or ".join(words.get(x, x) for x in schema["type"])
    return {"object": "mapping", "string": "text", "integer": "whole number",
            "boolean": "true or false"}.get(schema["type"], schema["type"])


def bounds(low, high, above):
    if low is not None and low == high:
        return str(low)
    if low is not None and high is not None:
        return f"above {low}, at most {high}" if above else f"{low} to {high}"
    if low is not None:
        return f"above {low}" if above else f"at least {low}"
    return f"at most {high}" if high is not None else ""


def allowed(schema, definitions):
    """Which values are allowed, beyond their kind."""
    if "enum" in schema:
        return ", ".join(f"`{x}`" for x in schema["enum"])
    if schema["type"] == "array":
        entries = bounds(schema.get("minItems"), schema.get("maxItems"), False)
        items = merged(schema["items"], definitions)
        parts = [f"{entries} entries"] if entries else []
        parts += ["no entry twice"] if schema.get("uniqueItems") else []
        parts += [allowed(items, definitions)] if "enum" in items else []
        return "; ".join(parts)
    if schema.get("$definition") == "duration":
        low = schema["durationMinimum"]
        high = schema["durationMaximum"]
        # The bounds that every duration has are named once, in the introduction.
        plain = definitions["duration"]
        text = bounds("0s" if low == "1ns" else low if low != plain["durationMinimum"] else None,
                      high if high != plain["durationMaximum"] else None, low == "1ns")
        whole = "whole seconds" if "durationMultipleOf" in schema else ""
        return "; ".join(x for x in (text, whole) if x)
    if schema.get("$definition") == "share" and "exclusiveMinimum" not in schema:
        return ""
    if "maxLength" in schema:
        return f"at most {schema['maxLength']} characters"
    above = "exclusiveMinimum" in schema
    low = schema.get("exclusiveMinimum", schema.get("minimum"))
    text = bounds(low, schema.get("maximum"), above)
    word = re.fullmatch(r"\^(\w+)\$", schema.get("pattern", ""))
    return (f"{text}, " if text else "") + f"or `{word[1]}`" if word else text


def rows(schema, path, definitions):
    """Yields path and schema of each key below, in the order of the schema."""
    if schema.get("$definition") in ("distribution", "cold_start"):
        return
    for key, value in schema.get("properties", {}).items():
        value = merged(value, definitions)
        below = f"{path}.{key}" if path else key
        required = key in schema.get("required", [])
        yield below, value, required
        # An override has the keys of a backend service, and a revision some of them, which stand there.
        if not below.endswith(".overrides") and ".<revision>." not in below:
            yield from rows(value, below, definitions)
    if isinstance(schema.get("additionalProperties"), dict):
        name = {"producers": "<service>", "consumers": "<consumer>"}.get(path, "<backend_service>")
        name = "<field>" if path.endswith(".where") else name
        name = "<revision>" if path.endswith(".revisions") else name
        yield from rows(merged(schema["additionalProperties"], definitions), f"{path}.{name}",
                        definitions)
    if "items" in schema:
        yield from rows(merged(schema["items"], definitions), f"{path}[]", definitions)


def entry(path, schema, required, definitions):
    """One key: what it means, and in a line below, what it may be."""
    facts = [kind(schema, definitions)]
    if limits := allowed(schema, definitions):
        facts.append(limits)
    if "default" in schema:
        facts.append(f"default `{as_yaml(schema['default'])}`")
    elif required:
        facts.append("required")
    else:
        facts.append("optional")
    text = f"- `{path}`: {schema['description']}\n  *{'; '.join(facts)}*"
    if examples := schema.get("examples"):
        text += "  e.g. " + ", ".join(f"`{as_yaml(x)}`" for x in examples)
    return text + "\n"


def page():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    definitions = schema["definitions"]
    parts = [INTRODUCTION]
    example = (SCHEMA.parent / "us-east1-brownout.yaml").read_text(encoding="utf-8")
    parts.append(EXAMPLE.format(example=example))
    parts.append("## Every key\n\n`<service>`, `<backend_service>`, `<revision>` and `<consumer>` stand "
                 "for names of yours, `[]` for each entry of a list.\n")
    section = None
    lines = []
    for path, value, required in rows(schema, "", definitions):
        top = path.split(".")[0].split("[")[0]
        structured = value["type"] in ("object", "array")
        heading = top if "." in path or "[" in path or structured else "The run"
        if heading != section:
            section = heading
            lines.append(f"\n### {heading}\n\n")
        lines.append(entry(path, value, required, definitions))
    return "\n".join(parts) + "".join(lines)


def main(arguments):
    text = page()
    if arguments == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            print(f"{PAGE.relative_to(ROOT)} is not up to date: run scripts/scenario_docs.py",
                  file=sys.stderr)
            return 1
        return 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
