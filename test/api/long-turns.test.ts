// Requests with much work take several turns, and other work runs in between.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { core, newServer, type TestServer } from "./server.ts";

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at);
const wide = (count: number) => Object.fromEntries(upTo(count).map((at) => [`k${at}`, "v"]));
const configMap = (name: string, count: number) => ({
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: wide(count) },
});

/** Returns a server that reports the work of each turn, and calls `between` at each pause with the number of earlier turns. */
function pausing(between: (server: TestServer, turns: number) => Promise<unknown> = async () => undefined) {
  const turns: number[] = [];
  let pauses = 0;
  const server: TestServer = newServer({
    service: ({ registry, runtime }) => ({
      pause: async () => {
        pauses++;
        await between(server, turns.length);
      },
      turn: (body) => {
        const { meter } = registry.store;
        const before = meter.spent;
        try {
          return meter.within(body);
        } finally {
          turns.push(meter.spent - before);
          runtime.drain(1_000);
        }
      },
    }),
  });
  return {
    server,
    /** Returns the work of each turn of a request, and its pauses. */
    measured: async (...ask: Parameters<TestServer["ask"]>) => {
      [turns.length, pauses] = [0, 0];
      const answer = await server.ask(...ask);
      return { answer, turns: [...turns], pauses };
    },
  };
}

async function withPolicies(server: TestServer, count: number, expression: string): Promise<void> {
  const path = "/apis/admissionregistration.k8s.io/v1";
  const apiVersion = "admissionregistration.k8s.io/v1";
  const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
  for (const at of upTo(count)) {
    const metadata = { name: `p${at}` };
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression, message: "no" }] };
    await server.ask("POST", `${path}/validatingadmissionpolicies`, {
      body: { apiVersion, kind: "ValidatingAdmissionPolicy", metadata, spec },
    });
    const binding = { policyName: `p${at}`, validationActions: at === 0 ? ["Warn"] : ["Deny"] };
    await server.ask("POST", `${path}/validatingadmissionpolicybindings`, {
      body: { apiVersion, kind: "ValidatingAdmissionPolicyBinding", metadata, spec: binding },
    });
  }
}

test("slow policies are evaluated in several turns, each once, and the object is stored in the last one", async () => {
  const { server, measured } = pausing();
  await withPolicies(server, 20, "object.data.all(k, k.size() > 0)");
  const { answer, turns } = await measured("POST", `${core}/configmaps`, configMap("a", 1_000));
  expect(answer.code).toBe(201);
  expect(turns.length).toBeGreaterThan(2);
  // A turn ends with the policy that makes it long.
  expect(Math.max(...turns)).toBeLessThan(2 * limits.unpausedWork);
  expect((await server.ask("GET", `${core}/configmaps/a`)).code).toBe(200);
});

test("warnings and refusals of policies in earlier turns are returned once", async () => {
  const { server, measured } = pausing();
  await withPolicies(
    server,
    20,
    "object.data.all(k, k.size() > 10)  || object.data.all(k, k.size() > 0 && k != 'k999')",
  );
  const { answer, turns } = await measured("POST", `${core}/configmaps`, configMap("a", 1_000));
  expect(turns.length).toBeGreaterThan(2);
  expect([answer.code, answer.body.message]).toEqual([
    422,
    "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p1' with binding 'p1' denied request: no",
  ]);
  expect(answer.headers.get("warning")).toBe(
    "299 - \"Validation failed for ValidatingAdmissionPolicy 'p0' with binding 'p0': no\"",
  );
});

test("a policy that is changed between two turns is evaluated again", async () => {
  const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p0";
  let isOn = false;
  const { server, measured } = pausing(async (server, turns) => {
    if (!isOn || turns === 0) return;
    isOn = false;
    await server.ask("PATCH", path, {
      body: JSON.stringify([{ op: "replace", path: "/spec/validations/0/expression", value: "false" }]),
      headers: { "content-type": "application/json-patch+json" },
    });
  });
  await withPolicies(server, 20, "object.data.all(k, k.size() > 0)");
  isOn = true;
  const { answer } = await measured("POST", `${core}/configmaps`, configMap("a", 1_000));
  expect(answer.code).toBe(201);
  expect(answer.headers.get("warning")).toContain("'p0'");
});

test("all turns of a request share the budget of its policies", async () => {
  const { server, measured } = pausing();
  await withPolicies(server, 50, "object.data.all(k, k.size() > 0)");
  const { answer, turns } = await measured("POST", `${core}/configmaps`, configMap("a", 2_000));
  expect([answer.code, answer.body.message]).toEqual([
    413,
    "Request entity too large: evaluating the expressions of admission policies takes more work than one request may; it ended in expression 'object.data.all(k, k.size() > 0)'",
  ]);
  expect(turns.length).toBeGreaterThan(2);
  expect(turns.length).toBeLessThan(20);
});

const jsonPatch = { "content-type": "application/json-patch+json" };

test("a slow patch is prepared in one turn and stored in another", async () => {
  const { server, measured } = pausing();
  await server.ask("POST", `${core}/configmaps`, configMap("a", 9_000));
  const body = JSON.stringify(upTo(5_000).map((at) => ({ op: "replace", path: `/data/k${at}`, value: "w" })));
  const { answer, turns } = await measured("PATCH", `${core}/configmaps/a`, { body, headers: jsonPatch });
  expect([answer.code, answer.body.data["k4999"], answer.body.data["k5000"]]).toEqual([200, "w", "v"]);
  expect(turns).toHaveLength(2);
});

test("a patch is applied again if the object was changed between its turns", async () => {
  let isOn = false;
  const { server, measured } = pausing(async (server, turns) => {
    if (!isOn || turns === 0) return;
    isOn = false;
    const body = JSON.stringify([{ op: "replace", path: "/data/k8999", value: "other" }]);
    await server.ask("PATCH", `${core}/configmaps/a`, { body, headers: jsonPatch });
  });
  await server.ask("POST", `${core}/configmaps`, configMap("a", 9_000));
  isOn = true;
  const body = JSON.stringify(upTo(5_000).map((at) => ({ op: "replace", path: `/data/k${at}`, value: "w" })));
  const { answer } = await measured("PATCH", `${core}/configmaps/a`, { body, headers: jsonPatch });
  expect([answer.code, answer.body.data["k1"], answer.body.data["k8999"]]).toEqual([200, "w", "other"]);
});

test("a list with a slow selector pauses between its pages", async () => {
  const { server, measured } = pausing();
  for (const at of upTo(60)) await server.ask("POST", `${core}/configmaps`, configMap(`m${at}`, 1));
  const selector = upTo(7_000)
    .map((at) => `!x${at}`)
    .join(",");
  const { answer, pauses } = await measured("GET", `${core}/configmaps?labelSelector=${encodeURIComponent(selector)}`);
  expect(answer.body.items.length).toBeGreaterThanOrEqual(60);
  expect(pauses).toBeGreaterThanOrEqual(3);
});

test("small applies cannot make an object wider than the bound", async () => {
  const { server } = pausing();
  const applied = (at: number) =>
    server.ask("PATCH", `${core}/configmaps/a?fieldManager=m${at}`, {
      body: JSON.stringify({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a" },
        data: Object.fromEntries(upTo(4_000).map((key) => [`m${at}-${key}`, ""])),
      }),
      headers: { "content-type": "application/apply-patch+yaml" },
    });
  expect([(await applied(0)).code, (await applied(1)).code]).toEqual([201, 200]);
  const { code, body } = await applied(2);
  expect([code, body.message]).toEqual([
    413,
    `Request entity too large: limit is ${limits.entriesInLongCollections} entries for the long maps and lists of one object (of more than ${limits.longCollectionFrom})`,
  ]);
});
