// Bodies with extreme width or depth: each is accepted or rejected in time proportional to its length.
import { describe, expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { configMap, core, newServer, pod, refusal } from "./server.ts";

const many = (count: number, item: (at: number) => string) => Array.from({ length: count }, (_, at) => item(at)).join();
const map = (fields: string, metadata = "") =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"${metadata}}${fields}}`;
const podOf = (spec: string) => `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":${spec}}`;
const wide = (value: string, count = 9_500) => many(count, (at) => `"k${at}":"${value}"`);
const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

const json = "application/json";
const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

function newApi() {
  const { ask, bugs } = newServer({ nodes: 0 });
  const send = (method: string, path: string, body: string, type = json) =>
    ask(method, path, { body, headers: { "content-type": type } });
  return { ask, bugs, send };
}

describe("R6: expensive creations", () => {
  test.each<[string, string, number, string]>([
    ["lists in lists", `[${"[".repeat(1_000_000)}`, 400, "configmaps"],
    ["lists in lists, closed", "[".repeat(1_000_000) + "]".repeat(1_000_000), 400, "configmaps"],
    ["objects in objects", '{"a":'.repeat(500_000), 400, "configmaps"],
    ["a deep unknown field", map(`,"x":${deep(990)}`), 201, "configmaps"],
    ["many keys", map(`,"data":{${wide("v", 10_000)}}`), 201, "configmaps"],
    ["more keys than an object may have", map(`,"data":{${wide("v", 10_001)}}`), 413, "configmaps"],
    [
      "more keys in all its maps",
      map(`,"data":{${wide("v", 9_000)}}`, `,"annotations":{${wide("v", 9_000)}}`),
      413,
      "configmaps",
    ],
    [
      "more entries in short lists",
      podOf(
        `{"containers":[${many(100, (at) => `{"name":"c${at}","image":"x","env":[${many(250, (e) => `{"name":"E${e}","value":"v"}`)}]}`)}]}`,
      ),
      413,
      "pods",
    ],
    ["more bytes than the limit of an object", map(`,"data":{${wide("v", 200_000)}}`), 413, "configmaps"],
    ["a repeated key", map(`,"data":{${many(100_000, () => '"a":"b"')}}`), 201, "configmaps"],
    ["invalid labels", map("", `,"labels":{${many(9_500, (at) => `"k ${at}":"v v"`)}}`), 422, "configmaps"],
    ["finalizers", map("", `,"finalizers":[${many(20_000, (at) => `"x y${at}"`)}]`), 422, "configmaps"],
    [
      "equal owners",
      map("", `,"ownerReferences":[${many(9_500, () => '{"apiVersion":"v1","kind":"Pod","name":"a","uid":"u"}')}]`),
      201,
      "configmaps",
    ],
    [
      "several controlling owners",
      map(
        "",
        `,"ownerReferences":[${many(9_000, (at) => `{"apiVersion":"v1","kind":"Pod","name":"a","uid":"${at}","controller":true}`)}]`,
      ),
      422,
      "configmaps",
    ],
    [
      "variables with one name",
      podOf(`{"containers":[{"name":"a","image":"x","env":[${many(9_500, () => '{"name":"E","value":"x"}')}]}]}`),
      201,
      "pods",
    ],
    [
      "mounts",
      podOf(
        `{"volumes":[${many(8000, (at) => `{"name":"e${at}","emptyDir":{}}`)}],"containers":[{"name":"a","image":"x","volumeMounts":[${many(8000, (at) => `{"name":"e${at}","mountPath":"/e${at}"}`)}]}]}`,
      ),
      413,
      "pods",
    ],
    [
      "ports of a Service",
      `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":[${many(20_000, (at) => `{"name":"p${at}","port":${at + 1}}`)}]}}`,
      413,
      "services",
    ],
  ])("expensive creations are bounded: %s", async (_, body, code, resource) => {
    const { send, bugs } = newApi();
    const answer = await send("POST", `${core}/${resource}`, body);
    expect(answer.code).toBe(code);
    expect(bugs).toEqual([]);
    if (code === 422) {
      const { causes = [] } = (answer.body as unknown as { details: { causes?: readonly unknown[] } }).details;
      expect(causes.length).toBeLessThanOrEqual(limits.toldErrors);
      expect(answer.text.length).toBeLessThan(1_000_000);
    }
  });
});

describe("R6: expensive changes", () => {
  test("many keys applied by one manager are taken over by another and refused to a third", async () => {
    const { send, bugs } = newApi();
    const apply = (who: string, value: string) =>
      send("PATCH", `${core}/configmaps/a?fieldManager=${who}`, map(`,"data":{${wide(value)}}`), types.apply);
    expect((await apply("one", "v")).code).toBe(201);
    const secondApply = await apply("two", "w");
    expect(refusal(secondApply).message).toContain("Apply failed with 9500 conflicts");
    expect(secondApply.text.length).toBeLessThan(1_000_000);
    expect((await apply("two&force=true", "w")).code).toBe(200);
    expect(bugs).toEqual([]);
  });

  test.each<[string, string, string, number]>([
    ["inserts at the front of a long list", types.json, front(), 413],
    ["copies of a copy", types.json, copies(), 422],
    ["operations", types.json, `[${many(10_001, () => '{"op":"test","path":"/kind","value":"ConfigMap"}')}]`, 413],
    ["a deep merge", types.merge, `{"x":${deep(990)}}`, 200],
    ["a deep strategic merge", types.strategic, `{"x":${deep(990)}}`, 200],
    ["many keys", types.strategic, `{"data":{${wide("w")}}}`, 200],
    ["finalizers", types.strategic, `{"metadata":{"finalizers":[${many(20_000, (at) => `"x.io/${at}"`)}]}}`, 200],
  ])("expensive changes are bounded: %s", async (_, type, body, code) => {
    const { ask, send, bugs } = newApi();
    await ask("POST", `${core}/configmaps`, { body: configMap("a", { l: "x" }) });
    expect((await send("PATCH", `${core}/configmaps/a`, body, type)).code).toBe(code);
    expect(bugs).toEqual([]);
  });

  test.each([
    ["changed", (at: number) => `{"name":"E${at}","value":"y"}`],
    ["deleted", (at: number) => `{"name":"E${at}","$patch":"delete"}`],
  ])("items of a long list are %s by their keys", async (_, item) => {
    const { ask, send, bugs } = newApi();
    const podBody = pod("p");
    const env = Array.from({ length: 9000 }, (_, at) => ({ name: `E${at}`, value: "x" }));
    const containers = [{ name: "main", image: "nginx", env }];
    expect((await ask("POST", `${core}/pods`, { body: { ...podBody, spec: { containers } } })).code).toBe(201);
    const body = `{"spec":{"containers":[{"name":"main","env":[${many(9000, item)}]}]}}`;
    // A pod's containers are immutable, but that is only known after the patch is applied.
    expect((await send("PATCH", `${core}/pods/p`, body, types.strategic)).code).toBe(422);
    expect(bugs).toEqual([]);
  });
});

function front(): string {
  const list = many(900_000, () => "1");
  return `[{"op":"add","path":"/x","value":[${list}]},${many(9000, () => '{"op":"add","path":"/x/0","value":1}')}]`;
}

function copies(): string {
  const doubled = many(40, () => '{"op":"copy","from":"/x","path":"/x/-"}');
  return `[{"op":"add","path":"/x","value":["${"a".repeat(1000)}"]},${doubled}]`;
}
