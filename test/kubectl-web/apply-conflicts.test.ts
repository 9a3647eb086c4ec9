// `kubectl apply` while others write the same object: how often it tries again, how long it waits, and what --force does.
import { describe, expect, test } from "vitest";
import { systemClock } from "../../shared/base/clock.ts";
import { systemRandom } from "../../shared/base/random.ts";
import { memoryFiles } from "../../web/kubectl/files.ts";
import { newKubectl } from "../../web/kubectl/kubectl.ts";

const resource = {
  resource: "configmaps",
  responseKind: { group: "", version: "v1", kind: "ConfigMap" },
  scope: "Namespaced",
  singularResource: "configmap",
  shortNames: ["cm"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
};
const discovery = (items: unknown[]) => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: "apidiscovery.k8s.io/v2",
  items,
});
const path = "/api/v1/namespaces/shop/configmaps/c";

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}

function refusal(code: number, reason: string): Response {
  return json({ kind: "Status", apiVersion: "v1", status: "Failure", reason, message: "refused", code }, code);
}

/** Applies a ConfigMap whose first patches are refused. */
async function apply(refusals: readonly Response[], ...flags: string[]) {
  const left = [...refusals];
  const requests: string[] = [];
  const waits: number[] = [];
  let value = "old";
  let version = 1;
  const object = () => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", namespace: "shop", uid: `u${version}`, resourceVersion: String(version++) },
    data: { a: value },
  });
  const answer = (method: string, url: string): Response => {
    if (url === "/api")
      return json(discovery([{ metadata: { name: "" }, versions: [{ version: "v1", resources: [resource] }] }]));
    if (url === "/apis") return json(discovery([]));
    const { pathname } = new URL(url, "http://cluster");
    if (!pathname.startsWith(path.slice(0, -2))) return refusal(404, "NotFound");
    requests.push(method);
    if (method === "PATCH") {
      const refused = left.shift();
      if (refused) return refused;
      value = "patched";
    }
    if (method === "DELETE") value = "";
    if (method === "POST") value = "created";
    return method === "GET" && value === "" ? refusal(404, "NotFound") : json(object());
  };
  const kubectl = newKubectl({
    fetch: (url, init) => Promise.resolve(answer(init?.method ?? "GET", url)),
    socket: () => {
      throw new Error("no socket");
    },
    context: { name: "c", cluster: "c", user: "u", server: "https://c", namespace: "shop" },
    files: memoryFiles(
      { "/c.json": '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"new"}}' },
      "/",
    ),
    clock: systemClock,
    random: systemRandom,
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
  });
  const text = { out: "", err: "" };
  const code = await kubectl.run(["apply", "-f", "/c.json", ...flags], {
    out: (chunk) => void (text.out += chunk),
    err: (chunk) => void (text.err += chunk),
    input: () => Promise.resolve(""),
    signal: new AbortController().signal,
  });
  return { code, ...text, requests: requests.join(" "), waits, value };
}

const conflicts = (count: number) => Array.from({ length: count }, () => refusal(409, "Conflict"));

describe("K6: an apply with a conflict", () => {
  test("K6: reads the object again and sends a new patch, immediately the first time and a second later after that", async () => {
    expect(await apply(conflicts(1))).toMatchObject({ code: 0, requests: "GET PATCH GET PATCH", waits: [] });
    const { code, waits, value } = await apply(conflicts(5));
    expect({ code, waits, value }).toEqual({ code: 0, waits: [1000, 1000, 1000, 1000], value: "patched" });
  });

  test("K6: gives up after five more tries", async () => {
    const { code, requests, value } = await apply(conflicts(6));
    expect({ code, value, patches: requests.match(/PATCH/g)?.length }).toEqual({ code: 1, value: "old", patches: 6 });
  });

  test("K6: with --force deletes the object and creates it, once the tries are used up", async () => {
    const { code, requests, value } = await apply(conflicts(6), "--force");
    expect([code, value, requests.match(/PATCH/g)?.length]).toEqual([0, "created", 6]);
    expect(requests).toMatch(/DELETE.* POST$/);
  });
});

describe("K6: an apply with another refusal", () => {
  test.for(["Invalid", "Forbidden"])("K6: ends at the first %s", async (reason) => {
    expect(await apply([refusal(422, reason)])).toMatchObject({ code: 1, requests: "GET PATCH", value: "old" });
  });

  test("K6: with --force replaces an Invalid object, and leaves a Forbidden one", async () => {
    expect(await apply([refusal(422, "Invalid")], "--force")).toMatchObject({ code: 0, value: "created" });
    expect(await apply([refusal(403, "Forbidden")], "--force")).toMatchObject({ code: 1, value: "old" });
  });
});
