// Expensive admission policies: they share one budget per request, and compiling them is spread over turns.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { configMap, core, newServer } from "./server.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";

interface PolicySpec {
  readonly expression: string;
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** Returns a cluster with policies on ConfigMaps, and a function that creates one and returns the work of each turn. */
async function withPolicies(policies: readonly PolicySpec[], kind: "Validating" | "Mutating" = "Validating") {
  const server = newServer({ controllers: [] });
  const plural = `${kind.toLowerCase()}admissionpolicies`;
  for (const [at, { expression, variables = [], failurePolicy = "Fail", matchConditions = [] }] of policies.entries()) {
    const apiVersion = "admissionregistration.k8s.io/v1";
    const name = `p${at}`;
    const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
    const common = { variables, failurePolicy, matchConditions, matchConstraints: { resourceRules: rules } };
    const mutation = { patchType: "ApplyConfiguration", applyConfiguration: { expression } };
    const spec =
      kind === "Validating"
        ? { ...common, validations: [{ expression }] }
        : { ...common, mutations: [mutation], reinvocationPolicy: "Never" };
    const policy = { apiVersion, kind: `${kind}AdmissionPolicy`, metadata: { name }, spec };
    const actions = kind === "Validating" ? { validationActions: ["Deny"] } : {};
    const binding = {
      apiVersion,
      kind: `${kind}AdmissionPolicyBinding`,
      metadata: { name },
      spec: { policyName: name, ...actions },
    };
    expect((await server.ask("POST", `${registration}/${plural}`, { body: policy })).text).toContain(name);
    const bindings = plural.replace("policies", "policybindings");
    expect((await server.ask("POST", `${registration}/${bindings}`, { body: binding })).code).toBe(201);
  }
  const { meter } = server.cluster.registry.store;
  const turns: number[] = [];
  const { turn } = server.service;
  Object.assign(server.service, {
    turn: (body: () => unknown) => {
      const before = meter.spent;
      try {
        return turn(body);
      } finally {
        turns.push(meter.spent - before);
      }
    },
  });
  const create = async (name: string, data: Record<string, string>) => {
    turns.length = 0;
    return server.ask("POST", `${core}/configmaps`, { body: configMap(name, data) });
  };
  return { server, create, turns };
}

const manyKeys = Object.fromEntries(Array.from({ length: 1000 }, (_one, at) => [`key-${at}`, `value ${at}`]));
const nested = "object.data.all(k, object.data.all(j, k != '' || j != ''))";
const chained = Array.from({ length: 20 }, (_one, at) => ({
  name: `v${at}`,
  expression: at === 0 ? nested : `${nested} && variables.v${at - 1}`,
}));
const tooMuch = "evaluating the expressions of admission policies takes more work than one request may";

test.each(["Fail", "Ignore"])(
  "B2: chained variables and nested loops of many policies share one budget; failurePolicy %s",
  async (failurePolicy) => {
    const costly = { expression: "variables.v19", variables: chained, failurePolicy };
    const { server, create, turns } = await withPolicies(Array.from({ length: 10 }, () => costly));
    const { code, body } = await create("large", manyKeys);
    expect([code, body.message]).toEqual([413, expect.stringContaining(tooMuch)]);
    expect(body).toMatchObject({ kind: "Status", reason: "RequestEntityTooLarge" });
    expect(Math.max(...turns)).toBeLessThan(1.2 * limits.requestWork);
    expect((await server.ask("GET", `${core}/configmaps/large`)).code).toBe(404);
    // With a small object, the same policies cost little.
    expect((await create("small", { a: "1", b: "2" })).code).toBe(201);
    expect(server.bugs).toEqual([]);
  },
);

test("B2: match conditions use the same budget", async () => {
  const matchConditions = [{ name: "nested", expression: nested }];
  const { create, turns } = await withPolicies(
    Array.from({ length: 5 }, () => ({ expression: "true", matchConditions })),
  );
  const { code, body } = await create("large", manyKeys);
  expect([code, body.message]).toEqual([413, expect.stringContaining(tooMuch)]);
  expect(Math.max(...turns)).toBeLessThan(1.2 * limits.requestWork);
});

test("B2: mutating policies use the same budget", async () => {
  const expression = `Object{data: {"a": ${nested} ? "yes" : "no"}}`;
  const { create, turns } = await withPolicies([{ expression }, { expression }], "Mutating");
  const { code, body } = await create("large", manyKeys);
  expect([code, body.message]).toEqual([413, expect.stringContaining(tooMuch)]);
  expect(Math.max(...turns)).toBeLessThan(1.2 * limits.requestWork);
});

test("B2: policies that are not yet compiled are compiled in several turns, and the write succeeds", async () => {
  const policies = Array.from({ length: 30 }, (_one, policy) => ({
    expression: "variables.v19",
    variables: Array.from({ length: 20 }, (_two, at) => ({
      name: `v${at}`,
      expression: `size(object.metadata.name) > 0 || object.metadata.name.startsWith('long enough ${policy} ${at}')`,
    })),
  }));
  const { server, create, turns } = await withPolicies(policies);
  expect((await create("a", { a: "1" })).code).toBe(201);
  expect(turns.length).toBeGreaterThan(1);
  expect(Math.max(...turns)).toBeLessThan(1.2 * limits.requestWork);
  // The compiled policies are cached.
  expect((await create("b", { a: "1" })).code).toBe(201);
  expect(turns.length).toBe(1);
  expect(server.bugs).toEqual([]);
});

test("calls of the authorizer are cheap here, though upstream charges more", async () => {
  const authorizerCall = "authorizer.path('/healthz').check('get').allowed()";
  const { create } = await withPolicies([{ expression: `${authorizerCall} && ${authorizerCall}` }]);
  expect((await create("a", {})).code).toBe(201);
});
