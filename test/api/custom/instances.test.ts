// Instances of a definition through the API: validation, pruning, defaulting, lists and selection as upstream.
import { beforeAll, describe, expect, test } from "vitest";
import { newServer, refusal, refused, type TestServer } from "../server.ts";
import { definitions, widget, widgetDefinition, widgets } from "./widgets.ts";

let server: TestServer;

beforeAll(async () => {
  server = newServer();
  await server.ask("POST", definitions, { body: widgetDefinition() });
});

describe("a definition", () => {
  test("is established immediately, with its names accepted", async () => {
    const { body } = await server.ask("GET", `${definitions}/widgets.example.com`);
    expect(body.status).toMatchObject({
      acceptedNames: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      storedVersions: ["v1"],
    });
    const conditions = body.status["conditions"] as { type: string; status: string; reason: string }[];
    expect(conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`)).toEqual([
      "NamesAccepted=True NoConflicts",
      "Established=True InitialNamesAccepted",
    ]);
  });
});

describe("an instance", () => {
  test("is created with its defaults, keys in order", async () => {
    const { code, body, text } = await server.ask("POST", widgets, { body: widget("one") });
    expect(code).toBe(201);
    expect(body.spec).toEqual({ color: "red", size: 3 });
    expect(body.metadata.generation).toBe(1);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
  });

  test("is scaled by a Scale without a resource version, and an outdated Scale is refused", async () => {
    const { body } = await server.ask("POST", widgets, { body: widget("scaled", { size: 1, replicas: 1 }) });
    const scale = (replicas: number, metadata: object = {}) => ({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "scaled", namespace: "default", ...metadata },
      spec: { replicas },
    });
    const done = await server.ask("PUT", `${widgets}/scaled/scale`, { body: scale(3) });
    expect([done.code, done.body.spec]).toEqual([200, { replicas: 3 }]);
    const old = scale(4, { resourceVersion: body.metadata.resourceVersion });
    expect((await server.ask("PUT", `${widgets}/scaled/scale`, { body: old })).code).toBe(409);
  });

  test("is refused with the messages of upstream's validation", async () => {
    const spec = { size: 20, color: "pink", label: "Toolong", replicas: "x", tags: ["a", "a"], parts: [{ count: 1 }] };
    const answer = await server.ask("POST", widgets, { body: widget("bad", spec) });
    expect(refusal(answer)).toEqual(
      refused(
        422,
        "Invalid",
        'Widget.example.com "bad" is invalid: [spec.color: Unsupported value: "pink": supported values: "red", "green", "blue", spec.label: Too long: may not be more than 5 bytes, spec.parts[0].name: Required value, spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string", spec.size: Invalid value: 20: spec.size in body should be less than or equal to 10, .spec.replicas: Invalid value: 0: .spec.replicas accessor error: x is of the type string, expected int64, spec.tags[1]: Duplicate value: "a"]',
      ),
    );
  });

  test("loses unknown fields with a warning, or is refused for them", async () => {
    const body = { ...widget("pruned", { size: 1, extra: { deep: 1 }, free: { kept: 1 } }), more: 1 };
    const warned = await server.ask("POST", widgets, { body });
    expect(warned.body.spec).toEqual({ color: "red", free: { kept: 1 }, size: 1 });
    expect(warned.headers.get("warning")).toBe(
      '299 - "unknown field \\"more\\"", 299 - "unknown field \\"spec.extra\\""',
    );
    const strict = await server.ask("POST", `${widgets}?fieldValidation=Strict`, { body });
    expect(refusal(strict)).toEqual(
      refused(
        400,
        "BadRequest",
        'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "more", unknown field "spec.extra"',
      ),
    );
  });

  test("is listed as an untyped list, as a table, and by its selectable fields", async () => {
    await server.ask("POST", widgets, { body: widget("blue", { size: 2, color: "blue" }) });
    const { body, text } = await server.ask("GET", widgets);
    expect(
      text.startsWith('{"apiVersion":"example.com/v1","items":[{"apiVersion":"example.com/v1","kind":"Widget",'),
    ).toBe(true);
    expect(body.items.length).toBeGreaterThan(1);
    expect(text).toMatch(/,"kind":"WidgetList","metadata":\{"continue":"","resourceVersion":"\d+"\}\}\n$/);
    const selected = await server.ask("GET", `${widgets}?fieldSelector=spec.color%3Dblue`);
    expect(selected.body.items.map(({ metadata }) => metadata.name)).toEqual(["blue"]);
    const unknown = await server.ask("GET", `${widgets}?fieldSelector=spec.size%3D1`);
    expect(refusal(unknown)).toEqual(refused(400, "BadRequest", "field label not supported: spec.size"));
    const table = await server.ask("GET", `${widgets}/blue`, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    });
    expect(table.body.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Size", "Phase", "Age"]);
    expect(table.body.rows[0]?.cells).toEqual(["blue", 2, null, "0s"]);
  });
});

describe("an embedded resource", () => {
  test("is refused for its metadata in the order of its keys", async () => {
    const template = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: 1, finalizers: "x" } };
    const { code, body } = await server.ask("POST", widgets, { body: widget("odd", { size: 1, template }) });
    expect([code, body.message]).toEqual([
      400,
      'Widget in version "v1" cannot be handled as a Widget: spec.template.metadata: Invalid value: {"finalizers":"x","labels":1,"name":"a"}: json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string',
    ]);
  });
});

describe("a patched object", () => {
  const headers = { "content-type": "application/merge-patch+json" };

  test("is refused under the name in the patch", async () => {
    await server.ask("POST", widgets, { body: widget("renamed") });
    const patched = await server.ask("PATCH", `${widgets}/renamed`, {
      body: { apiVersion: "foo/v1", kind: "Foo" },
      headers,
    });
    expect(refusal(patched)).toEqual(
      refused(
        422,
        "Invalid",
        'Foo.foo "renamed" is invalid: [kind: Invalid value: "Foo": must be Widget, apiVersion: Invalid value: "foo/v1": must be example.com/v1]',
      ),
    );
  });

  test("may not contain nulls of non-nullable fields after server-side apply", async () => {
    const body = {
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "void" },
      spec: { size: 1, label: null },
    };
    const type = { "content-type": "application/apply-patch+yaml" };
    const applied = await server.ask("PATCH", `${widgets}/void?fieldManager=me`, { body, headers: type });
    expect([applied.code, applied.body.message]).toEqual([
      422,
      'Widget.example.com "void" is invalid: spec.label: Invalid value: "null": spec.label in body must be of type string: "null"',
    ]);
  });
});
