// Lists in protobuf, whose items are cached.
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
