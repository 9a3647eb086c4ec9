// The OpenAPI document of the control API: complete, and true.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorCodes, problemOf } from "../../shared/contract/error.ts";
import { controlApiApp, routes } from "../../worker/edge/control-api/control-api.ts";
import { errorsOf } from "../../worker/edge/control-api/route.ts";
import { document, faultsOf, operationAt } from "./documented.ts";
import { newService } from "./service.ts";

const sources = join(import.meta.dirname, "../../worker/edge/control-api");
/** Errors of paths and methods that no route has. */
/** The local front answers all but the first: before a request has a path, or where workerd does not live to answer it. */
const pathless = ["method_not_allowed", "malformed_request", "header_too_large", "restarting", "interrupted"];
/** Errors that only the sign-in page shows, after a redirect. */
const ofPages = ["deactivated"];

describe("the OpenAPI document", () => {
  test("I1: is served without a key, as generated from the routes", async () => {
    const { send } = await newService();
    const answer = await send("GET", "/v1/openapi.json", { key: "" });
    expect([answer.status, await answer.json()]).toEqual([200, document]);
    expect(document).toMatchObject({ openapi: "3.1.0" });
  });

  test("I1: contains every served route, with a unique operation id", () => {
    const served = controlApiApp.routes
      .filter(({ method, path }) => method !== "ALL" && !path.includes("*"))
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const documentedCodes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documentedCodes.sort()).toEqual([...new Set(served)].sort());
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
  });

  test("I1: contains every path parameter", () => {
    for (const { path, method } of routes) {
      const named = operationAt(method, path)
        ?.parameters.filter((parameter) => parameter.in === "path")
        .map(({ name }) => name);
      expect([path, named]).toEqual([path, [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)]);
    }
  });

  test("I1: contains every error code of the source, and each is used by a route", () => {
    const texts = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(sources, name), "utf8"));
    const thrown = texts.flatMap((text) =>
      [...text.matchAll(/ControlError\(\s*\d+,\s*"(\w+)"/g)].map(([, code]) => code),
    );
    expect(thrown.length).toBeGreaterThan(10);
    expect(thrown.filter((code) => !Object.hasOwn(errorCodes, code ?? ""))).toEqual([]);
    const knownCodes = new Set([...pathless, ...ofPages, ...routes.flatMap((route) => errorsOf(route, routes))]);
    expect(Object.keys(errorCodes).filter((code) => !knownCodes.has(code))).toEqual([]);
    expect(Object.keys(errorCodes).filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
  });

  test("I1: gives each code one status", () => {
    const texts = readdirSync(sources, { encoding: "utf8", recursive: true }).filter((name) => name.endsWith(".ts"));
    const pairs = texts.flatMap((name) => [
      ...readFileSync(join(sources, name), "utf8").matchAll(/ControlError\(\s*(\d+),\s*"(\w+)"/g),
    ]);
    const wrong = pairs.filter(
      ([, status, code]) => errorCodes[code as keyof typeof errorCodes]?.status !== Number(status),
    );
    expect(wrong.map(([all]) => all)).toEqual([]);
  });

  test("I1: has schemas that accept right answers and reject wrong ones", () => {
    const { schema = {} } = operationAt("GET", "/v1/sandboxes")?.responses["200"]?.content?.["application/json"] ?? {};
    expect(faultsOf(schema, { sandboxes: [] })).toEqual([]);
    expect(faultsOf(schema, { sandboxes: [{ id: 1 }] })).not.toEqual([]);
    const { schema: refused = {} } =
      operationAt("GET", "/v1/sandboxes")?.responses["400"]?.content?.["application/problem+json"] ?? {};
    expect(faultsOf(refused, problemOf(400, { code: "invalid_field", message: "x" }))).toEqual([]);
    expect(faultsOf(refused, problemOf(400, { code: "too_large", message: "x" }))).not.toEqual([]);
  });
});

describe("generated models", () => {
  test("I1: each error has its type, by which generators tell the errors of a status apart", () => {
    const problem = problemOf(400, { code: "invalid_field", message: "no" });
    const other = { ...problem, type: "urn:sandbar:error:unknown_version" };
    const { InvalidFieldError: schema } = document.components.schemas;
    if (schema === undefined) throw new Error("no schema");
    expect([faultsOf(schema, problem), faultsOf(schema, other).length]).toEqual([[], 1]);
  });

  test("I1: each operation has one tag, which the document lists", () => {
    const tags = document.tags.map(({ name }) => name);
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(operations.filter((operation) => operation.tags.length !== 1)).toEqual([]);
    expect([...new Set(operations.flatMap((operation) => operation.tags))].sort()).toEqual(tags);
  });

  test("I1: every error of an operation refers to a component for its code", () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const references: { readonly $ref?: string; readonly anyOf?: { readonly $ref?: string }[] }[] = [];
    for (const { responses } of operations) {
      for (const { content } of Object.values(responses)) {
        const schema: (typeof references)[number] | undefined = content?.["application/problem+json"]?.schema;
        if (schema) references.push(...(schema.anyOf ?? [schema]));
      }
    }
    expect(references.length).toBeGreaterThan(100);
    const names = references.map(({ $ref }) => String($ref).split("/").at(-1) ?? "");
    expect(names.filter((name) => !Object.hasOwn(document.components.schemas, name))).toEqual([]);
    expect(document.components.schemas["InvalidFieldError"]).toMatchObject({
      description: errorCodes.invalid_field.means,
    });
  });
});

describe("invalid bodies", () => {
  test.each([
    [{ nodes: "3" }, "nodes: must be a number"],
    [{ nodes: 1.5 }, "nodes: must be a whole number"],
    [{ nodes: -1 }, "nodes: must be at least 0"],
    [{ nodes: 5001 }, "nodes: must be at most 5000"],
    [{ name: 7 }, "name: must be a text"],
    [{ name: "a".repeat(64) }, "name: must have at most 63 characters"],
    [{ anonymousAccess: "yes" }, "anonymousAccess: must be true or false"],
    [{ admissionPlugins: "x" }, "admissionPlugins: must be a list"],
    [{ oidcIssuers: [{ issuerUrl: "https://x.example.org" }] }, "oidcIssuers.0.audiences: is required"],
    [{ oidcIssuers: [7] }, "oidcIssuers.0: must be an object"],
    [{ else: 1 }, "else: is not a field of this request"],
    [[], "the body: must be an object"],
    [null, "the body: must be an object"],
  ])("I2: %j is refused with this service's message", async (body, message) => {
    const { send } = await newService();
    const answer = await send("POST", "/v1/sandboxes", { body: JSON.stringify(body) });
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "invalid_field", message } }]);
  });
});
