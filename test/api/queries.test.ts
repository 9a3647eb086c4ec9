// Errors about parameters and bodies of reads and writes, in upstream's words.
import { describe, expect, test } from "vitest";
import { configMap, core, newServer, refusal, refused } from "./server.ts";

const { ask } = newServer();
for (const name of ["a", "b", "c"])
  await ask("POST", `${core}/configmaps`, { body: configMap(name, {}, { labels: { x: "y" } }) });
const message = async (method: string, path: string, body?: unknown, type = "application/json") =>
  refusal(await ask(method, `${core}/configmaps${path}`, { body, headers: { "content-type": type } })).message;

describe("parameters of a read", () => {
  test("a GET honours resourceVersion", async () => {
    expect(await message("GET", "/a?resourceVersion=x")).toBe(
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    );
    expect(await message("GET", "/a?resourceVersion=999999")).toMatch(/^Timeout: Too large resource version: 999999, /);
    expect(await message("GET", "/a?export=true")).toBe(
      "the export parameter, deprecated since v1.14, is no longer supported",
    );
  });

  test("a list reports an invalid resource version with a prefix, and a limit that is too large", async () => {
    expect(await message("GET", "?resourceVersion=-5")).toMatch(
      /^invalid resource version: resourceVersion: Invalid value: "-5"/,
    );
    expect(await message("GET", "?limit=99999999999999999999")).toBe(
      'strconv.ParseInt: parsing "99999999999999999999": value out of range',
    );
  });

  test("a list with resourceVersion 0 ignores its limit", async () => {
    const limited = await ask("GET", `${core}/configmaps?labelSelector=x&limit=2`);
    const any = await ask("GET", `${core}/configmaps?labelSelector=x&limit=2&resourceVersion=0`);
    expect([limited.body.items.length, any.body.items.length, any.body.metadata.continue]).toEqual([2, 3, undefined]);
  });

  test("an empty field selector selects all objects", async () => {
    expect((await ask("GET", `${core}/configmaps?labelSelector=x&fieldSelector=%3D`)).body.items).toHaveLength(3);
  });

  test("a collection is deleted one page at a time", async () => {
    const path = `${core}/configmaps?labelSelector=x&dryRun=All&limit=2`;
    const { body } = await ask("DELETE", path);
    const rest = await ask("DELETE", `${path}&continue=${body.metadata.continue ?? ""}`);
    expect([body.items.length, rest.body.items.map(({ metadata }) => metadata.name)]).toEqual([2, ["c"]]);
    expect(refusal(await ask("DELETE", `${path}&continue=abc`)).message).toMatch(/^invalid continue token: /);
  });
});

describe("parameters of a write", () => {
  test("an empty dryRun is invalid", async () => {
    expect(await message("POST", "?dryRun=", configMap("new"))).toBe(
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"',
    );
  });

  test("a delete with a body ignores the query, and one without a body uses it", async () => {
    expect(await message("DELETE", "/a?dryRun=bogus")).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["bogus"]: supported values: "All"',
    );
    expect((await ask("DELETE", `${core}/configmaps/b?dryRun=All`)).code).toBe(200);
    expect((await ask("GET", `${core}/configmaps/b`)).code).toBe(200);
    await ask("DELETE", `${core}/configmaps/b?dryRun=All`, { body: {} });
    expect((await ask("GET", `${core}/configmaps/b`)).code).toBe(404);
  });

  test("options of another kind are refused", async () => {
    expect(await message("DELETE", "/a", { kind: "Foo", apiVersion: "v1" })).toMatch(
      /^no kind "Foo" is registered for version "v1"/,
    );
  });
});

describe("a body whose kind cannot be read", () => {
  const unrecognized = "the object provided is unrecognized (must be of type ConfigMap): ";
  test.each([
    [
      "[]",
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
    ],
    [
      '{"kind":5}',
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})',
    ],
    ['{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})'],
    [
      "\u0000",
      "couldn't get version/kind; json parse error: invalid character '\\x00' looking for beginning of value (00)",
    ],
  ])("is unrecognized: %j", async (body, why) => {
    expect(await message("POST", "", body)).toBe(unrecognized + why);
  });

  test("is unrecognized as invalid protobuf, and as YAML with control characters", async () => {
    expect(await message("POST", "", "", "application/vnd.kubernetes.protobuf")).toBe(
      `${unrecognized}empty data (<empty>)`,
    );
    expect(await message("POST", "", "\u0001", "application/yaml")).toBe(
      `${unrecognized}yaml: control characters are not allowed (01)`,
    );
  });
});

describe("a patch", () => {
  const patch = (type: string, body: unknown) =>
    ask("PATCH", `${core}/configmaps/a`, { body, headers: { "content-type": `application/${type}+json` } });

  test("may name another kind only as a strategic merge, which ignores it", async () => {
    expect((await patch("strategic-merge-patch", { kind: "Pod" })).code).toBe(200);
    const answer = await patch("merge-patch", { kind: "Pod" });
    expect(refusal(answer).message).toMatch(/: converting \(v1.Pod\) to \(core.ConfigMap\): unknown conversion$/);
    expect(answer.code).toBe(422);
  });

  test("with another uid is invalid, and an update with another uid is a conflict", async () => {
    const invalid = 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "x": field is immutable';
    expect(refusal(await patch("merge-patch", { metadata: { uid: "x" } }))).toEqual(refused(422, "Invalid", invalid));
    const updated = await ask("PUT", `${core}/configmaps/a`, { body: configMap("a", {}, { uid: "x" }) });
    expect(refusal(updated)).toMatchObject({ status: 409, reason: "Conflict" });
  });

  test("is refused with the object's keys in order", async () => {
    const { text } = await patch("json-patch", [{ op: "add", path: "/data", value: 5 }]);
    expect(JSON.parse(text).message).toMatch(
      /Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":5,\\"kind\\":\\"ConfigMap\\",\\"metadata\\":\{\\"name\\"/,
    );
  });
});
