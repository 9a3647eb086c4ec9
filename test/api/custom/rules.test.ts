// Rules of a schema (`x-kubernetes-validations`): evaluation, ratcheting, and compile errors.
import { beforeAll, describe, expect, test } from "vitest";
import { newServer, refusal, type TestServer } from "../server.ts";
import { definitions, widget, widgetDefinition, widgetVersion, widgets } from "./widgets.ts";

let server: TestServer;
const merge = { "content-type": "application/merge-patch+json" };

const spec = {
  type: "object",
  "x-kubernetes-validations": [
    { rule: "self.min <= self.max", message: "min must not be above max", fieldPath: ".min" },
    {
      rule: "!has(oldSelf.kind) || self.kind == oldSelf.kind",
      message: "kind is fixed",
      reason: "FieldValueForbidden",
    },
    { rule: "self.max < 100", messageExpression: "'too much for ' + self.kind" },
  ],
  properties: {
    min: { type: "integer" },
    max: { type: "integer" },
    kind: { type: "string", maxLength: 20 },
    name: {
      type: "string",
      maxLength: 20,
      "x-kubernetes-validations": [{ rule: "self.startsWith('a')" }],
    },
    once: {
      type: "integer",
      "x-kubernetes-validations": [
        { rule: "!oldSelf.hasValue() || self >= oldSelf.value()", optionalOldSelf: true, message: "must not shrink" },
      ],
    },
  },
};

function definitionOf(properties: object) {
  const openAPIV3Schema = { type: "object", properties: { spec: properties } };
  return widgetDefinition([
    widgetVersion({
      schema: { openAPIV3Schema },
      selectableFields: [],
      subresources: {},
      additionalPrinterColumns: [],
    }),
  ]);
}

beforeAll(async () => {
  server = newServer();
  const { code, text } = await server.ask("POST", definitions, { body: definitionOf(spec) });
  expect([code, text]).toEqual([201, text]);
});

describe("a validation rule", () => {
  test("refuses an object that violates it, with its message, field and reason", async () => {
    const answer = await server.ask("POST", widgets, { body: widget("a", { min: 5, max: 3, name: "bob" }) });
    expect(refusal(answer).message).toBe(
      'Widget.example.com "a" is invalid: [spec.min: Invalid value: min must not be above max, spec.name: Invalid value: "bob": failed rule: self.startsWith(\'a\')]',
    );
    const rejected = await server.ask("POST", widgets, { body: widget("a", { min: 5, max: 300, kind: "x" }) });
    expect(refusal(rejected).message).toBe('Widget.example.com "a" is invalid: spec: Invalid value: too much for x');
    const untold = await server.ask("POST", widgets, { body: widget("a", { min: 5, max: 300 }) });
    expect(refusal(untold).message).toBe(
      'Widget.example.com "a" is invalid: spec: Invalid value: failed rule: self.max < 100',
    );
  });

  test("applies to updates only if it is a transition rule", async () => {
    const first = await server.ask("POST", widgets, { body: widget("b", { min: 1, max: 3, kind: "x", once: 5 }) });
    expect(first.code).toBe(201);
    const changed = await server.ask("PATCH", `${widgets}/b`, { body: { spec: { kind: "y" } }, headers: merge });
    expect(refusal(changed).message).toBe('Widget.example.com "b" is invalid: spec: Forbidden: kind is fixed');
    const less = await server.ask("PATCH", `${widgets}/b`, { body: { spec: { once: 4 } }, headers: merge });
    expect(refusal(less).message).toBe(
      'Widget.example.com "b" is invalid: spec.once: Invalid value: 4: must not shrink',
    );
  });

  test("is not evaluated if the object is invalid anyway", async () => {
    const answer = await server.ask("POST", widgets, { body: widget("c", { min: "x", max: 3 }) });
    expect(refusal(answer).message).toBe(
      'Widget.example.com "c" is invalid: [spec.min: Invalid value: "string": spec.min in body must be of type integer: "string", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]',
    );
  });

  test("is ratcheted for values from before it existed, with a warning", async () => {
    const plain = { ...spec, properties: { ...spec.properties, name: { type: "string", maxLength: 20 } } };
    const path = `${definitions}/widgets.example.com`;
    const put = async (properties: object) => {
      const { body } = await server.ask("GET", path);
      const { metadata } = body;
      const answer = await server.ask("PUT", path, { body: { ...definitionOf(properties), metadata } });
      expect(answer.code).toBe(200);
    };
    await put(plain);
    expect((await server.ask("POST", widgets, { body: widget("old", { min: 1, max: 2, name: "bob" }) })).code).toBe(
      201,
    );
    await put(spec);
    const touched = await server.ask("PATCH", `${widgets}/old`, { body: { spec: { max: 9 } }, headers: merge });
    const warningHeader = '299 - "spec.name: Invalid value: \\"bob\\": failed rule: self.startsWith(\'a\')"';
    expect([touched.code, touched.headers.get("warning")]).toEqual([200, warningHeader]);
    const changed = await server.ask("PATCH", `${widgets}/old`, { body: { spec: { name: "bill" } }, headers: merge });
    expect(changed.code).toBe(422);
  });
});

describe("a definition with invalid rules", () => {
  test.each([
    [
      { type: "string", "x-kubernetes-validations": [{ rule: "self.size() > " }] },
      /rule: Invalid value: .*: compilation failed: ERROR: <input>:1:15: Syntax error/,
    ],
    [
      { type: "string", "x-kubernetes-validations": [{ rule: "self + 1 == 2" }] },
      /compilation failed: ERROR: <input>:1:6: found no matching overload for '_\+_' applied to '\(string, int\)'/,
    ],
    [
      { type: "string", "x-kubernetes-validations": [{ rule: "'<' < foo" }] },
      /\{"Rule":"'\\u003c' \\u003c foo",.*undeclared reference to 'foo'/,
    ],
    [{ type: "string", "x-kubernetes-validations": [{ rule: "self" }] }, /cel expression must evaluate to a bool/],
    [
      { type: "string", "x-kubernetes-validations": [{ rule: "true", messageExpression: "1" }] },
      /messageExpression must evaluate to a string/,
    ],
    [
      {
        type: "array",
        items: {
          type: "array",
          items: { type: "string", "x-kubernetes-validations": [{ rule: "self.contains('x')" }] },
        },
      },
      /estimated rule cost exceeds budget by factor of more than 100x/,
    ],
    [
      {
        type: "array",
        maxItems: 5,
        items: { type: "string", maxLength: 5, "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
      },
      /oldSelf cannot be used on the uncorrelatable portion of the schema within spec\.validation\.openAPIV3Schema\.properties\[spec\]/,
    ],
  ])("is refused: %j", async (properties, message) => {
    const body = definitionOf({ type: "object", properties: { x: properties } });
    const otherDefinition = { ...body, metadata: { name: "gadgets.example.com" } };
    const names = { plural: "gadgets", kind: "Gadget" };
    const answer = await server.ask("POST", definitions, {
      body: { ...otherDefinition, spec: { ...body.spec, names } },
    });
    expect(refusal(answer)).toMatchObject({ status: 422, message: expect.stringMatching(message) as string });
  });
});
