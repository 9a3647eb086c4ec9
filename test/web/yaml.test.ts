import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withoutManagedFields, toYaml } from "../../web/live/yaml.ts";

describe("YAML output", () => {
  test("reads back as the same value for any value", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.stringMatching(/^[-:#&*!|>%@`{}[\] ,\n\ta1.~]*$/),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, text, fc.integer(), fc.boolean(), fc.constant(null), tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 4 }),
      object: fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    }));
    fc.assert(
      fc.property(value, (jsonValue) => {
        expect(parse(toYaml(jsonValue), { schema: "core" })).toEqual(jsonValue);
      }),
      { numRuns: 2000 },
    );
  });

  test("has the format of kubectl's output", () => {
    const pod = {
      kind: "Pod",
      apiVersion: "v1",
      spec: { containers: [{ name: "web", args: ["-v", "3"], ports: [{ containerPort: 80 }] }], nodeSelector: {} },
      metadata: { name: "web", annotations: { note: "one\ntwo\n", on: "true" }, managedFields: [{}] },
    };
    expect(toYaml(withoutManagedFields(pod))).toBe(
      [
        "apiVersion: v1",
        "kind: Pod",
        "metadata:",
        "  name: web",
        "  annotations:",
        "    note: |",
        "      one",
        "      two",
        '    "on": "true"',
        "spec:",
        "  containers:",
        "  - name: web",
        "    args:",
        '    - "-v"',
        '    - "3"',
        "    ports:",
        "    - containerPort: 80",
        "  nodeSelector: {}",
        "",
      ].join("\n"),
    );
  });
});
