// Media type checks before any handler.
import { describe, expect, test } from "vitest";
import { configMap, core, newServer, refusal, refused } from "./server.ts";

const { ask } = newServer();
await ask("POST", `${core}/configmaps`, { body: configMap("a") });

const resources = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const streams = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
const notAcceptable = (available: string) =>
  refused(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${available}`);
const accepting = async (path: string, accept: string) => refusal(await ask("GET", path, { headers: { accept } }));

describe("a media type that a route does not produce", () => {
  test("is refused with the supported types, before anything is read", async () => {
    expect(await accepting(`${core}/configmaps/none`, "application/cbor")).toEqual(notAcceptable(resources));
    expect(await accepting(`${core}/configmaps`, "text/html")).toEqual(notAcceptable(`${resources}, ${streams}`));
    expect(await accepting("/version", "application/cbor")).toEqual(notAcceptable("application/json"));
  });

  test("is not replaced by partial wildcards, and parameters do not matter", async () => {
    expect(await accepting(`${core}/configmaps`, "application/*")).toEqual(notAcceptable(`${resources}, ${streams}`));
    for (const accept of ["*/*", "text/html, application/json;q=0.1", ""]) {
      expect((await ask("GET", `${core}/configmaps/a`, { headers: { accept } })).code).toBe(200);
    }
  });

  test("is left to the negotiation if only its transform is unknown", async () => {
    expect(await accepting(`${core}/configmaps/a`, "application/json;as=Table;v=v9;g=meta.k8s.io")).toEqual(
      refused(406, "NotAcceptable", `only the following media types are accepted: ${resources}`),
    );
  });
});

test("a patch of an unknown type is 415", async () => {
  const answer = await ask("PATCH", `${core}/configmaps/a`, { headers: { "content-type": "text/plain" }, body: "{}" });
  expect(refusal(answer)).toEqual(refused(415, "UnsupportedMediaType", "415: Unsupported Media Type"));
});

test("the deprecation warning of a version is sent only for requests that a route accepts", async () => {
  expect((await ask("GET", "/api/v1/componentstatuses")).headers.get("warning")).toContain(
    "ComponentStatus is deprecated",
  );
  const answer = await ask("POST", "/api/v1/componentstatuses", { body: {} });
  expect([answer.code, answer.headers.get("warning")]).toEqual([405, null]);
});
