// Bodies of requests: JSON, YAML, protobuf, patches, and configurations that are applied with managed fields.
import { seededRandom } from "../../../shared/base/random.ts";
import { FieldSet } from "../../../shared/schema/apply/field-set.ts";
import { managersOf, entriesOf } from "../../../shared/schema/apply/entries.ts";
import { applyConfiguration, managersAfterWrite } from "../../../shared/schema/apply/field-manager.ts";
import type { Write } from "../../../shared/schema/apply/managers.ts";
import { shapeOf } from "../../../shared/schema/apply/shape.ts";
import { typedComplaint } from "../../../shared/schema/apply/typed.ts";
import { decode } from "../../../shared/schema/decode.ts";
import { jsonPatch } from "../../../shared/schema/json-patch.ts";
import { parseJson } from "../../../shared/schema/json.ts";
import { isObject, type JsonObject } from "../../../shared/schema/json-values.ts";
import { mergePatch } from "../../../shared/schema/merge-patch.ts";
import { decodeEnvelope, decodeProtobuf, encodeProtobuf } from "../../../shared/schema/protobuf/protobuf.ts";
import { strategicMerge } from "../../../shared/schema/strategic/strategic-merge.ts";
import { YamlError } from "../../../shared/schema/yaml/errors.ts";
import { readYaml, readYamlDocuments } from "../../../shared/schema/yaml/read.ts";
import { toYaml } from "../../../shared/schema/yaml/write.ts";
import { mergePatchOf, strategicPatchOf, threeWayStrategicPatch } from "../../../web/kubectl/writes/patches.ts";
import { generateObject } from "../../schema/generated.ts";
import { withDistinctKeys } from "../../schema/strategic-diff.ts";
import { apiResultOf, resultOf, sameJson, holds, type Target, binaryText, bytesIn } from "../target.ts";

const podType = "io.k8s.api.core.v1.Pod";
const types = [podType, "io.k8s.api.apps.v1.Deployment", "io.k8s.api.core.v1.Service"];
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", labels: { app: "web" }, finalizers: ["a/b"], annotations: { n: "1" } },
  spec: {
    containers: [{ name: "c", image: "nginx", ports: [{ containerPort: 80 }], resources: { limits: { cpu: "100m" } } }],
    tolerations: [{ key: "k", operator: "Exists" }],
  },
};
const podText = JSON.stringify(pod);
const generated = Array.from({ length: 6 }, (_, at) => generateObject(types[at % 3] ?? podType, seededRandom(at), 0.2));
const fieldWords = [
  ...[
    "metadata",
    "spec",
    "containers",
    "name",
    "labels",
    "finalizers",
    "ports",
    "containerPort",
    "null",
    "true",
    "[]",
    "{}",
  ],
  ...['"', ":", ",", "$patch", "delete", "replace", "merge", "$retainKeys", "$setElementOrder/containers"],
  ...["$deleteFromPrimitiveList/finalizers", '{"name":"c"}', "protocol", "env", "volumes", "tolerations", "resources"],
];
const nests: Target["nests"] = [
  ['{"a":', "}"],
  ['{"spec":{"containers":[', "]}}"],
  ["[", "]"],
];

const json: Target = {
  name: "JSON body",
  corpus: [
    podText,
    '{"a":1,"a":2,"b":{"a":1,"a":[{"x":0,"x":1}]}}',
    '[1.5e-7,"\\u00e9\\ud800",null,true]',
    '"a"',
    "-0",
  ],
  words: [...fieldWords, "\\u0000", "\\ud800", "1e999"],
  nests,
  run: (input) => {
    let expected: unknown;
    let isJson = true;
    try {
      expected = JSON.parse(input);
    } catch {
      isJson = false;
    }
    const parsed = apiResultOf(() => parseJson(input));
    if (parsed) {
      holds(isJson, "the platform's parser refuses it");
      sameJson(parsed.value, expected, "as the platform's parser reads it");
      for (const type of types) apiResultOf(() => decode(type, parsed.value));
    }
  },
};

const yaml: Target = {
  name: "YAML body",
  corpus: [
    toYaml(pod),
    "a: &x [1, 2]\nb: *x\nc: !!str 12\n",
    "a: |\n  text\n  more\nb: >-\n  folded\n---\nx: 0o7\ny: 1_000\nz: 2026-01-01\n",
    '? {a: b}\n: "\\x41\\u00e9"\n',
    "{a: [b, {c: d}], 'e': \"f\"}",
    "%YAML 1.1\n---\n- - - a\n...\n",
    "<<: {a: 1}\nb: .inf\nc: ~\nd: !!binary aGVsbG8=\n",
  ],
  words: [
    "&a",
    "*a",
    "!!str",
    "!!binary",
    "!<tag>",
    "---",
    "...",
    "|",
    ">",
    "? ",
    ": ",
    "- ",
    "# ",
    "%TAG",
    "<<: ",
    "\n  ",
    "\t",
    "{",
    "}",
    "[",
    "]",
    ",",
    "~",
    ".inf",
  ],
  nests: [
    ["- ", ""],
    ["{a: ", "}"],
    ["? ", ""],
    ["&a ", ""],
    ["a:\n ", ""],
  ],
  run: (input) => {
    const document = resultOf(() => readYaml(input), YamlError);
    resultOf(() => [...readYamlDocuments(input)].length, YamlError);
    if (!document) return;
    const text = JSON.stringify(document.value);
    if (text === undefined || text.length > 20_000) return;
    sameJson(
      sorted(readYaml(toYaml(document.value)).value),
      sorted(document.value),
      "a value that is written and read",
    );
  },
};

const protobuf: Target = {
  name: "protobuf body",
  corpus: generated.map((object, at) =>
    binaryText(encodeProtobuf(types[at % 3] ?? podType, decode(types[at % 3] ?? podType, object).object)),
  ),
  words: [
    "k8s\0",
    "\n",
    "\x12",
    "\x1a",
    '"',
    "*",
    "\xff\xff\xff\xff\x0f",
    "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
    "\x0b",
    "\x0c",
  ],
  share: 500,
  run: (input) => {
    const bytes = bytesIn(input);
    apiResultOf(() => decodeEnvelope(bytes));
    apiResultOf(() => decodeEnvelope(Uint8Array.from([0x6b, 0x38, 0x73, 0, ...bytes])));
    for (const type of types) {
      const object = apiResultOf(() => decode(type, decodeProtobuf(type, bytes)).object);
      if (!object) continue;
      const again = decode(type, decodeProtobuf(type, encodeProtobuf(type, object))).object;
      sameJson(again, object, "an object that is encoded and decoded");
    }
  },
};

/** The JSON of an input; undefined for none. */
function jsonOf(input: string): unknown {
  return apiResultOf(() => parseJson(input))?.value;
}

const patches: Target = {
  name: "patch",
  corpus: [
    '{"spec":{"containers":[{"name":"c","image":"x"},{"$patch":"delete","name":"d"}]}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a/b"],"labels":{"app":null}},"spec":{"$setElementOrder/containers":[{"name":"c"}]}}',
    '{"spec":{"$retainKeys":["containers"],"$patch":"replace","containers":[]}}',
    '[{"op":"add","path":"/spec/containers/-","value":{"name":"z"}},{"op":"test","path":"/metadata/name","value":"p"}]',
    '[{"op":"move","from":"/spec","path":"/spec/a"},{"op":"copy","from":"/metadata","path":"/metadata/labels/x"},{"op":"remove","path":"/spec/containers/0"}]',
    '[{"op":"replace","path":"/a~1b/~0","value":null}]',
  ],
  words: [...fieldWords, '"op":"add"', '"path":"/spec"', "/-", "~0", "~1", "/0", '"from":"/spec"', "__proto__"],
  nests,
  run: (input) => {
    const patch = jsonOf(input);
    if (patch === undefined) return;
    for (const type of types) apiResultOf(() => decode(type, strategicMerge(type, pod, patch)));
    apiResultOf(() => jsonPatch(pod, patch));
    const merged = apiResultOf(() => mergePatch(pod, patch));
    if (merged !== undefined) sameJson(mergePatch(merged, patch), merged, "a merge patch that is applied twice");
  },
};

const differences: Target = {
  name: "difference as a patch",
  corpus: [podText, ...generated.map((object) => JSON.stringify(object).slice(0, 4000))],
  words: fieldWords,
  share: 300,
  run: (input) => {
    const value = jsonOf(input);
    if (!isObject(value)) return;
    const object = apiResultOf(() => decode(podType, value).object);
    if (!isObject(object)) return;
    const [before, after] = [withDistinctKeys(podType, plain(pod)), withDistinctKeys(podType, plain(object))];
    const merge = mergePatchOf(before, after);
    sameJson(sorted(mergePatch(before, merge)), sorted(withoutNulls(after)), "apply(diff(a, b), a) of a merge patch");
    const patch = strategicPatchOf(podType, before, after);
    sameJson(
      sorted(strategicMerge(podType, before, patch)),
      sorted(after),
      "apply(diff(a, b), a) of a strategic patch",
    );
    apiResultOf(() => strategicMerge(podType, before, threeWayStrategicPatch(podType, before, after, before)));
  },
};

function plain(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function withoutNulls(value: JsonObject): JsonObject {
  const keep = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(keep.map(([key, member]) => [key, isObject(member) ? withoutNulls(member) : member]));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

const applied: Target = {
  name: "server-side apply",
  corpus: [
    `${podText}\n{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{}}}}}`,
    `{"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":["a/b","c"]}}\n{"f:metadata":{"f:finalizers":{"v:\\"a/b\\"":{}}}}`,
    `{"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"UDP"}]}]}}\n{"f:spec":{"f:tolerations":{"i:0":{}}}}`,
  ],
  words: [...fieldWords, "f:", "k:", "v:", "i:", ".", '{\\"name\\":\\"c\\"}', "\n"],
  nests,
  run: (input) => {
    const [text = "", fields = "{}"] = input.split("\n");
    const config = jsonOf(text);
    const fieldsV1 = jsonOf(fields);
    const entry = { manager: "m", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" };
    const entries = [{ ...entry, fieldsV1: isObject(fieldsV1) ? fieldsV1 : {} }];
    const managers = apiResultOf(() => managersOf(entries)) ?? [];
    const live = decode(podType, pod).object;
    const writer = { manager: "a", operation: "Apply" as const, apiVersion: "v1" };
    const write: Write = {
      shape: shapeOf(podType),
      live,
      managers,
      writer,
      time: "2026-01-01T00:00:00Z",
      ignored: FieldSet.empty,
    };
    if (!isObject(config)) return;
    apiResultOf(() => typedComplaint(podType, config));
    const decoded = apiResultOf(() => decode(podType, config));
    if (!decoded || apiResultOf(() => typedComplaint(podType, config)) !== undefined) return;
    const result = apiResultOf(() => applyConfiguration(write, config, decode(podType, {}).object, true));
    if (!result) return;
    const stored = entriesOf(result.managers, []);
    const read = managersOf(stored);
    sameJson(entriesOf(read ?? [], []), stored, "managed fields that are written and read");
    const next = apiResultOf(() => decode(podType, result.object).object);
    if (next) apiResultOf(() => managersAfterWrite({ ...write, managers: result.managers }, next, true));
  },
};

export const bodyTargets: readonly Target[] = [json, yaml, protobuf, patches, differences, applied];
