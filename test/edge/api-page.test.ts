// The page about the API reads the service's own document, whole.
import { describe, expect, test } from "vitest";
import { routes } from "../../worker/edge/control-api/control-api.ts";
import { openApi } from "../../worker/edge/control-api/openapi.ts";
import { type ApiDocument, fieldsOf, operationsOf, typeText } from "../../web/console/api/document.ts";

// What the service answers, as a browser gets it.
const document = JSON.parse(JSON.stringify(openApi(routes))) as ApiDocument;
const operations = operationsOf(document);
const named = (id: string) => {
  const match = operations.find((operation) => operation.id === id);
  if (!match) throw new Error(`no operation ${id}`);
  return match;
};

describe("the API's document", () => {
  test("Z6: has an operation for each route, with its access", () => {
    expect(operations.map(({ id }) => id).sort()).toEqual(routes.map(({ id }) => id).sort());
    expect(named("createSandbox")).toMatchObject({ scope: "sandboxes:create", group: "sandboxes", method: "POST" });
    expect(named("metrics").who).toContain("operator's key");
    expect(named("deleteMe").who).toBe("a person who has signed in");
    expect(named("getSignIn").who).toBe("whoever comes");
  });

  test("Z6: lists fields with their types and bounds, including nested fields, and each path once", () => {
    const { body } = named("createTemplate");
    const fields = body ? fieldsOf(document, body) : [];
    const at = (path: string) => fields.find((field) => field.path === path);
    expect(at("name")).toMatchObject({ required: true, type: expect.stringContaining("string") });
    expect(at("users[].groups")?.type).toContain("list of string");
    for (const { id, body: sent, answers } of operations) {
      for (const schema of [sent, ...answers.map((answer) => answer.schema)]) {
        const paths = schema ? fieldsOf(document, schema).map(({ path }) => path) : [];
        expect([id, paths.length]).toEqual([id, new Set(paths).size]);
      }
    }
  });

  test("Z6: ends a recursive schema", () => {
    const tree = { properties: { next: { $ref: "#/components/schemas/Tree" } } };
    const recursiveDocument = { info: { description: "" }, paths: {}, components: { schemas: { Tree: tree } } };
    expect(fieldsOf(recursiveDocument, tree).length).toBeLessThan(10);
    expect(typeText(recursiveDocument, { enum: ["a", 1] })).toBe('one of "a", 1');
    expect(typeText(recursiveDocument, { type: "integer", minimum: 1, maximum: 5, default: 2 })).toBe(
      "integer, from 1, to 5, default 2",
    );
  });
});
