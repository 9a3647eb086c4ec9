// Lists whose objects, or their encodings in protobuf, are cached.
import { expect, test } from "vitest";
import { limits } from "../../shared/base/limits.ts";
import { decodeEnvelope, decodeProtobuf } from "../../shared/schema/protobuf/protobuf.ts";
import { KeptEncodings } from "../../worker/api/verbs/kept-encodings.ts";
import { type Answered, configMap, core, newServer } from "./server.ts";

test("V2: a list in protobuf shows changed, created and deleted objects since the previous list", async () => {
  const { ask } = newServer();
  const list = async () => {
    const accept = "application/vnd.kubernetes.protobuf";
    const { bytes } = await ask("GET", `${core}/configmaps`, { headers: { accept } });
    const { items } = decodeProtobuf("io.k8s.api.core.v1.ConfigMapList", decodeEnvelope(bytes).raw) as Answered;
    const { body } = await ask("GET", `${core}/configmaps`);
    expect(items.map(({ metadata }) => metadata)).toEqual(body.items.map(({ metadata }) => metadata));
    return items.flatMap(({ metadata: { name }, data }) => (data?.["v"] ? [`${name}=${data["v"]}`] : []));
  };
  for (const name of ["a", "b", "c"]) await ask("POST", `${core}/configmaps`, { body: configMap(name, { v: "1" }) });
  expect(await list()).toEqual(["a=1", "b=1", "c=1"]);
  await ask("PUT", `${core}/configmaps/b`, { body: configMap("b", { v: "2" }) });
  await ask("DELETE", `${core}/configmaps/a`);
  await ask("POST", `${core}/configmaps`, { body: configMap("d", { v: "1" }) });
  expect(await list()).toEqual(["b=2", "c=1", "d=1"]);
  await ask("POST", `${core}/configmaps`, { body: configMap("a", { v: "3" }) });
  expect(await list()).toEqual(["a=3", "b=2", "c=1", "d=1"]);
});

test("V2: the cached encodings are bounded in bytes, together and for one object", () => {
  const encodings = new KeptEncodings();
  const bytes = new Uint8Array(limits.keptEncodingBytesEach);
  const count = (2 * limits.keptEncodingBytes) / bytes.length;
  for (let revision = 1; revision <= count; revision++) encodings.set("type", revision, bytes);
  let held = 0;
  for (let revision = 1; revision <= count; revision++) if (encodings.get("type", revision)) held += bytes.length;
  expect(held).toBeLessThanOrEqual(limits.keptEncodingBytes + bytes.length);
  expect(encodings.get("type", count)).toBe(bytes);
  expect(encodings.get("other", count)).toBeUndefined();
  encodings.set("type", 0, new Uint8Array(limits.keptEncodingBytesEach + 1));
  expect(encodings.get("type", 0)).toBeUndefined();
});

test("V2: a length outlasts its encoding, is that of one type, and their number is bounded", () => {
  const encodings = new KeptEncodings();
  const bytes = new Uint8Array(limits.keptEncodingBytesEach);
  const count = (2 * limits.keptEncodingBytes) / bytes.length;
  for (let revision = 1; revision <= count; revision++) encodings.set("type", revision, bytes);
  expect([encodings.get("type", 1), encodings.lengthOf("type", 1)]).toEqual([undefined, bytes.length]);
  expect(encodings.lengthOf("other", 1)).toBeUndefined();
  for (let revision = 2; revision <= 50_000; revision++) encodings.set("type", revision, new Uint8Array(3));
  expect(encodings.lengthOf("type", 1)).toBeUndefined();
  expect(encodings.lengthOf("type", 50_000)).toBe(3);
});

test("V2: a protobuf list whose objects are measured by cached lengths is complete", async () => {
  const { ask } = newServer();
  // Five pages of half the page's bytes: all but the first are measured before they are encoded.
  const v = "x".repeat(limits.listPageBytes / 4);
  for (let at = 0; at < 10; at++) await ask("POST", `${core}/configmaps`, { body: configMap(`long-${at}`, { v }) });
  for (const value of ["é", "changed"]) {
    await ask("PUT", `${core}/configmaps/long-7`, { body: configMap("long-7", { v, value }) });
    const headers = { accept: "application/vnd.kubernetes.protobuf" };
    const { bytes } = await ask("GET", `${core}/configmaps`, { headers });
    const { items } = decodeProtobuf("io.k8s.api.core.v1.ConfigMapList", decodeEnvelope(bytes).raw) as Answered;
    const { body } = await ask("GET", `${core}/configmaps`);
    expect(items.map(({ metadata, data }) => ({ metadata, data }))).toEqual(
      body.items.map(({ metadata, data }) => ({ metadata, data })),
    );
    expect(items.find(({ metadata }) => metadata.name === "long-7")?.data?.["value"]).toBe(value);
  }
});

test.each(["application/json;as=Table;v=v1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf", "application/yaml"])(
  "S3: a list at a past revision as %s does not show the newer objects that the store has in memory",
  async (accept) => {
    const { ask } = newServer();
    const labelled = (v: string) => ({ ...configMap("a", { v }), metadata: { name: "a", labels: { v } } });
    await ask("POST", `${core}/configmaps`, { body: labelled("old") });
    const { resourceVersion } = (await ask("GET", `${core}/configmaps`)).body.metadata;
    const past = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact&includeObject=Object`;
    const list = async (query: string) =>
      (await ask("GET", `${core}/configmaps?${query}`, { headers: { accept } })).text;
    const before = [await list(past), await list(`${past}&labelSelector=v=old`)];
    await ask("PUT", `${core}/configmaps/a`, { body: labelled("new") });
    expect([await list(past), await list(`${past}&labelSelector=v=old`)]).toEqual(before);
    expect(before[1]).toContain("old");
    expect(await list(`${past}&labelSelector=v=new`)).not.toContain("new");
    expect(await list("includeObject=Object")).toContain("new");
  },
);
