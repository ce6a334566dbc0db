#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every JSON output has the form that its schema in docs/schema/ tells, and no key
that the schema lacks. Needs python3-jsonschema; without it the test is skipped (77).

    schemas.py XFERSPY SOURCES
"""
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    sys.exit(77)

XFERSPY, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
TRACES = SOURCES / "examples/traces"
LISTED = SOURCES / "tests/report/traces"
EVERYTHING = ("--all", "--dataflow", "--by-range", "--pinned-budget", "8G",
              "--machine", "h200", "--machine", "k20m")
WORK = ("--h2d-bytes", "1G", "--d2h-bytes", "1G")


def strict(part, file):
    """The same part of a schema's file, which refuses keys that it does not name.
    References are to one document with all files."""
    if isinstance(part, list):
        return [strict(item, file) for item in part]
    if not isinstance(part, dict):
        return part
    out = {key: strict(value, file) for key, value in part.items() if key != "$id"}
    if "$ref" in out:
        there, _, pointer = out["$ref"].partition("#")
        out["$ref"] = f"#/$defs/{there.partition('.')[0] or file}{pointer}"
    if part.get("type") == "object":
        out["additionalProperties"] = False
    return out


def read_schemas():
    """Returns what validates by each schema."""
    kind, files = jsonschema.Draft202012Validator, {}
    for path in (SOURCES / "docs/schema").glob("*.schema.json"):
        schema = json.loads(path.read_text())
        kind.check_schema(schema)
        name = path.name.partition(".")[0]
        files[name] = strict(schema, name)
    return {name: kind({"$ref": f"#/$defs/{name}", "$defs": files})
            for name in files}


def output_of(command, *arguments):
    """Returns what the command prints. Traces that are no trace print nothing."""
    run = subprocess.run([XFERSPY, command, *map(str, arguments), "--format", "json"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(run.stdout) if run.stdout else None


def outputs():
    """All (schema, what, value) that are checked."""
    traces = [*sorted(TRACES.glob("*.xspy")), *sorted(LISTED.glob("*.txt")),
              *sorted((SOURCES / "tests/report/dataflow").glob("*.xspy")),
              *sorted((SOURCES / "tests/analyzer/golden").glob("*.trace")),
              *sorted((SOURCES / "tests/analyzer/import/recorded").glob("*.json.gz")),
              *sorted((SOURCES / "examples/putget").rglob("*.xspy"))]
    for trace in traces:
        yield "report", trace.name, output_of("report", trace, *EVERYTHING)
    for options in ((), ("--machine", "fitted"), ("--each", LISTED / "pinned.txt")):
        yield "report", options, output_of("report", LISTED / "pageable.txt", *options)
    yield "report", "--runs", output_of("report", "--runs", *sorted(LISTED.glob("p*.txt")))
    for trace in sorted(TRACES.glob("stencil*.xspy")):
        yield "job", trace.name, output_of("report", trace, LISTED / "pageable.txt",
                                           TRACES / "stencil-512-pinned.xspy", trace)
    with tempfile.TemporaryDirectory() as folder:
        digests = [pathlib.Path(folder, f"{trace.name}.digest")
                   for trace in sorted(LISTED.glob("[np]*.txt"))[-4:]]
        for digest in digests:
            subprocess.run([XFERSPY, "digest", LISTED / digest.stem, "-o", digest],
                           check=True)
        for before, after in itertools.product(digests, digests):
            yield "job_diff", after.name, output_of("diff", before, after)
    before = LISTED / "pageable.txt"
    yield "diff", "runs", output_of("diff", before, before, "--after", before)
    for after in sorted(LISTED.glob("*.txt")):
        yield "diff", after.name, output_of("diff", before, after)
        yield "diff", after.name, output_of("diff", before, after, "--fail-above", 5)
    for before in sorted(TRACES.glob("*-pageable.xspy")):
        after = before.with_name(before.name.replace("pageable", "pinned"))
        yield "diff", before.name, output_of("diff", before, after)
    for path in sorted((SOURCES / "examples/machines").glob("*.json")):
        yield "machine", path.name, json.loads(path.read_text())
        yield "model", path.name, output_of(
            "model", "--machine", path, *WORK,
            "--kernel-ms", 3, "--flops", "1e9", "--memory-bytes", "2G")
        yield "model", path.name, output_of("model", "--machine", path, *WORK,
                                            "--control")
    yield "model", "shortest", output_of("model", "--machine", "h200", *WORK,
                                         "--kernel-ms", 3)


def main():
    schemas, checked, failed = read_schemas(), {}, 0
    for name, what, value in outputs():
        if value is None:
            continue
        checked[name] = checked.get(name, 0) + 1
        # an array of reports says less well what is wrong than each of them
        for part in value if isinstance(value, list) else [value]:
            for error in list(schemas[name].iter_errors(part))[:3]:
                failed += 1
                print(f"{name}: {what}: {'.'.join(map(str, error.absolute_path))}: "
                      f"{error.message[:200]}")
    print(checked)
    if set(checked) != set(schemas) or min(checked.values()) < 15:
        sys.exit("a schema has too few outputs")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
