// The control API over fakes: answers and authorization.
import { describe, expect, test } from "vitest";
import { currentApiVersion } from "../../shared/contract/hosted/api-version.ts";
import { errorBody, mostFieldProblems } from "../../shared/contract/error.ts";
import { sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { viewToken } from "../../shared/contract/token.ts";
import { forgetExpired } from "../../worker/edge/control-api/leftovers.ts";
import { controlApiApp } from "../../worker/edge/control-api/control-api.ts";
import { hashOf } from "../../worker/edge/mac.ts";
import { keys, newService, startMs } from "./service.ts";

type Harness = Awaited<ReturnType<typeof newService>>;

async function make({ send }: Harness, body?: unknown, key?: string) {
  const answer = await send("POST", "/v1/sandboxes", { body, ...(key ? { key } : {}) });
  expect(answer.status).toBe(201);
  return sandboxWithToken.parse(await answer.json());
}

async function errorOf(answer: Response | Promise<Response>) {
  const { status, headers } = await answer;
  const { error } = errorBody.parse(await (await answer).json());
  return { status, code: error.code, field: error.field, allow: headers.get("allow") ?? undefined };
}

describe("the creation of a sandbox", () => {
  test("has a default for each field without a body", async () => {
    const harness = await newService();
    const sandbox = await make(harness);
    expect(sandbox).toMatchObject({ nodes: 3, name: `sandbox-${sandbox.id.slice(0, 6)}` });
    expect(sandbox.server).toBe(`https://127.0.0.1:8443/c/${sandbox.id}`);
    expect(Date.parse(sandbox.expiresAt)).toBe(startMs + 24 * 3600 * 1000);
  });

  test("passes its fields to the cluster, and only a hash of the token", async () => {
    const harness = await newService();
    const sandbox = await make(harness, {
      name: "course-1",
      ttlSeconds: 60,
      nodes: 0,
      manifests: "kind: List",
      admissionPlugins: ["NodeRestriction"],
      controllerDelayMs: 0,
      images: ["docker.io/my-company"],
      systemPods: false,
    });
    expect(harness.clusters.get(sandbox.id)?.initializeOptions).toEqual({
      settings: {
        admissionPlugins: ["NodeRestriction"],
        anonymousAccess: false,
        oidcIssuers: [],
        jwtAuthenticators: [],
        controllerDelayMs: 0,
        images: ["docker.io/my-company"],
        systemPods: false,
        version: "1.36",
        expiresAtMs: startMs + 60_000,
        reportsTo: { tenant: "ada", sandbox: sandbox.id },
      },
      nodes: 0,
      manifests: "kind: List",
      adminTokenHash: await hashOf(sandbox.token),
    });
  });

  test("answers with the kubeconfig for Accept: application/yaml, and the kubeconfig can be read again", async () => {
    const harness = await newService();
    const answer = await harness.send("POST", "/v1/sandboxes", { headers: { accept: "application/yaml" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "application/yaml"]);
    const text = await answer.text();
    const id = /\/c\/([a-z0-9]+)"/.exec(text)?.[1];
    expect(text).toContain(`certificate-authority-data: "${btoa("the authority")}"`);
    expect(await (await harness.send("GET", `/v1/sandboxes/${id}/kubeconfig`)).text()).toBe(text);
  });

  test.each([
    ["nodes above the limit", { nodes: 5001 }, "nodes"],
    ["images that are neither a word nor a list", { images: "some" }, "images"],
    ["an invalid prefix of an image name", { images: ["My Company"] }, "images.0"],
    ["too many prefixes of image names", { images: Array.from({ length: 51 }, () => "a") }, "images"],
    ["a delay of controllers above the limit", { controllerDelayMs: 1001 }, "controllerDelayMs"],
    ["nodes that are no whole number", { nodes: 1.5 }, "nodes"],
    ["nodes below zero", { nodes: -1 }, "nodes"],
    ["a ttl above the limit", { ttlSeconds: 31 * 24 * 3600 }, "ttlSeconds"],
    ["a ttl of the wrong type", { ttlSeconds: "60" }, "ttlSeconds"],
    ["a name with blanks", { name: "a b" }, "name"],
    ["a name of 64 characters", { name: "a".repeat(64) }, "name"],
    ["an unknown field", { node: 3 }, "node"],
    ["manifests that the cluster refuses", { manifests: "bad" }, "manifests"],
  ])("answers 400 with the name of the field: %s", async (_, body, field) => {
    const harness = await newService();
    const error = await errorOf(harness.send("POST", "/v1/sandboxes", { body }));
    expect(error).toMatchObject({ status: 400, field });
    expect((await harness.service.directory.list("ada", startMs, 10)).length).toBe(0);
  });

  test("leaves no cluster behind if the manifests are refused", async () => {
    const harness = await newService();
    const refused = await harness.send("POST", "/v1/sandboxes", { body: { manifests: "bad" } });
    expect(await refused.json()).toMatchObject({
      error: { field: "manifests", problems: [{ document: 1, line: 6, field: "kind", message: "no such kind" }] },
    });
    expect([...harness.clusters.values()].map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  test("answers 400 to a body that breaks off, and reports no error", async () => {
    const { service, errors } = await newService();
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error("Network connection lost.")),
    });
    const headers = { authorization: `Bearer ${keys.ada}`, "content-type": "application/json" };
    // Node wants to be told that a body comes as it is made.
    const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
    const answer = await controlApiApp.fetch(new Request("http://localhost:8787/v1/sandboxes", init), {
      controlApi: service,
    });
    expect([answer.status, errors]).toEqual([400, []]);
  });

  test("answers 400 to invalid JSON, 415 to another type, and 413 to too large a body", async () => {
    const { send } = await newService();
    const text = { "content-type": "text/plain" };
    const large = JSON.stringify({ manifests: "x".repeat(3 * 1024 * 1024) });
    expect(await errorOf(send("POST", "/v1/sandboxes", { body: "{" }))).toMatchObject({ status: 400 });
    expect(await errorOf(send("POST", "/v1/sandboxes", { body: {}, headers: text }))).toMatchObject({ status: 415 });
    expect(await errorOf(send("POST", "/v1/sandboxes", { body: large }))).toMatchObject({ status: 413 });
  });
});

describe("authentication", () => {
  test.each([
    ["no key", ""],
    ["an unknown key", "sbk_nobodynobodynobody"],
    ["a malformed key", "hello"],
  ])("answers 401 for %s, on every path", async (_, key) => {
    const { send } = await newService();
    for (const path of ["/v1/sandboxes", "/v1/sandboxes/x", "/v1/sandboxes/x/kubeconfig", "/v1/else"]) {
      expect(await errorOf(send("GET", path, { key }))).toMatchObject({ status: 401, code: "unauthorized" });
    }
  });

  test("A1: answers 404 for another tenant's sandbox on every route, and does not list it", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    const asBob = (method: string, path: string) => errorOf(harness.send(method, path, { key: keys.bob }));
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/kubeconfig"],
      ["GET", "/audit"],
      ["POST", "/tokens"],
    ] as const) {
      expect(await asBob(method, `/v1/sandboxes/${id}${path}`)).toMatchObject({ status: 404 });
    }
    const list = await harness.send("GET", "/v1/sandboxes", { key: keys.bob });
    expect(await list.json()).toEqual({ sandboxes: [] });
    expect(harness.clusters.get(id)).toMatchObject({ destroyed: false, tokens: [] });
  });
});

test("R7: the audit entries of policies and webhooks are listed as audit events", async () => {
  const harness = await newService();
  const { id } = await make(harness);
  const answer = await harness.send("GET", `/v1/sandboxes/${id}/audit`);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ kind: "EventList", apiVersion: "audit.k8s.io/v1", metadata: {}, items: [] });
});

describe("the list of sandboxes", () => {
  test("has pages from the newest to the oldest without gaps", async () => {
    const harness = await newService();
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) {
      // Two share a moment.
      harness.time.nowMs += round % 2;
      ids.push((await make(harness)).id);
    }
    const listedIds: string[] = [];
    let query = "?limit=2";
    for (let page = 0; page < 3; page++) {
      const list = sandboxList.parse(await (await harness.send("GET", `/v1/sandboxes${query}`)).json());
      listedIds.push(...list.sandboxes.map(({ id }) => id));
      query = list.nextCursor ? `?limit=2&cursor=${list.nextCursor}` : "end";
    }
    expect([query, listedIds.length, new Set(listedIds)]).toEqual(["end", 5, new Set(ids)]);
  });

  test.each([["limit=0"], ["limit=501"], ["limit=x"], ["cursor=%20"], ["cursor="], ["else=1"]])(
    "answers 400 for ?%s",
    async (query) => {
      const { send } = await newService();
      const field = query.split("=")[0];
      expect(await errorOf(send("GET", `/v1/sandboxes?${query}`))).toMatchObject({ status: 400, field });
    },
  );
});

describe("the end of a sandbox", () => {
  test("A3: answers 410 after expiry, is not listed, and can still be deleted", async () => {
    const harness = await newService();
    const { id } = await make(harness, { ttlSeconds: 60 });
    harness.time.nowMs += 60_000;
    expect(await errorOf(harness.send("GET", `/v1/sandboxes/${id}`))).toMatchObject({ status: 410, code: "expired" });
    expect(await errorOf(harness.send("GET", `/v1/sandboxes/${id}/kubeconfig`))).toMatchObject({ status: 410 });
    expect(await errorOf(harness.send("POST", `/v1/sandboxes/${id}/tokens`))).toMatchObject({ status: 410 });
    expect(await (await harness.send("GET", "/v1/sandboxes")).json()).toEqual({ sandboxes: [] });
    expect((await harness.send("DELETE", `/v1/sandboxes/${id}`)).status).toBe(204);
  });

  test("removes it with its cluster, and answers a second deletion with 404", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    expect((await harness.send("DELETE", `/v1/sandboxes/${id}`)).status).toBe(204);
    expect(harness.clusters.get(id)?.destroyed).toBe(true);
    expect(await errorOf(harness.send("DELETE", `/v1/sandboxes/${id}`))).toMatchObject({ status: 404 });
  });

  test("deletes long expired sandboxes", async () => {
    const harness = await newService();
    const { id } = await make(harness, { ttlSeconds: 60 });
    await forgetExpired(harness.service, startMs + 60_001);
    expect(harness.clusters.get(id)?.destroyed).toBe(true);
    expect(await errorOf(harness.send("GET", `/v1/sandboxes/${id}`))).toMatchObject({ status: 404 });
  });
});

describe("view tokens", () => {
  test("A4: the cluster gets the hash, the caller the token, its expiry and a page with the token in the fragment", async () => {
    const harness = await newService();
    const { id } = await make(harness);
    const body = { ttlSeconds: 600, frameOrigins: ["https://course.example.org"] };
    const answer = await harness.send("POST", `/v1/sandboxes/${id}/tokens`, { body });
    const token = viewToken.parse(await answer.json());
    expect([answer.status, Date.parse(token.expiresAt)]).toEqual([201, startMs + 600_000]);
    expect(token.url).toMatch(new RegExp(`^http://localhost:8787/view/${id}\\?frame=[\\w.-]+#${token.token}$`));
    expect(harness.clusters.get(id)?.tokens).toEqual([
      {
        hash: await hashOf(token.token),
        user: "sandbar:viewer",
        groups: ["sandbar:viewers", "system:authenticated"],
        expiresAtMs: startMs + 600_000,
        readOnly: true,
        frameOrigins: body.frameOrigins,
      },
    ]);
  });

  test("A4: a token does not outlive its sandbox", async () => {
    const harness = await newService();
    const { id, expiresAt } = await make(harness, { ttlSeconds: 60 });
    const answer = await harness.send("POST", `/v1/sandboxes/${id}/tokens`, { body: { ttlSeconds: 3600 } });
    expect(viewToken.parse(await answer.json()).expiresAt).toBe(expiresAt);
  });

  test.each([
    ["https://x.org/"],
    ["https://x.org/path"],
    ["*"],
    ["ftp://x.org"],
    ["https://x.org; script-src *"],
    ["https://X.org"],
  ])("400 for an invalid origin: %s", async (origin) => {
    const harness = await newService();
    const { id } = await make(harness);
    const body = { frameOrigins: [origin] };
    const error = await errorOf(harness.send("POST", `/v1/sandboxes/${id}/tokens`, { body }));
    expect(error).toMatchObject({ status: 400, field: "frameOrigins.0" });
  });
});

describe("paths and methods", () => {
  test("405 lists the allowed methods", async () => {
    const { send } = await newService();
    expect(await errorOf(send("PUT", "/v1/sandboxes"))).toMatchObject({
      status: 405,
      allow: "DELETE, GET, HEAD, POST",
    });
    expect(await errorOf(send("PUT", "/v1/sandboxes/x/tokens"))).toMatchObject({
      status: 405,
      allow: "GET, HEAD, POST",
    });
    expect(await errorOf(send("POST", "/healthz"))).toMatchObject({ status: 405, allow: "GET, HEAD" });
  });

  test("an error is a problem of RFC 9457 with all invalid fields", async () => {
    const { send } = await newService();
    const body = { name: "A b", nodes: -1, ttlSeconds: "soon", extra: 1, more: 2 };
    const answer = await send("POST", "/v1/sandboxes?waitSeconds=0", { body });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/problem+json"]);
    const problem = errorBody.parse(await answer.json());
    expect(problem.errors?.map(({ field }) => field)).toEqual([
      "waitSeconds",
      "name",
      "ttlSeconds",
      "nodes",
      "extra",
      "more",
    ]);
    expect(problem).toMatchObject({
      type: "urn:sandbar:error:invalid_field",
      status: 400,
      detail: "waitSeconds: must be at least 1",
      instance: `urn:sandbar:request:${answer.headers.get("request-id")}`,
      error: { code: "invalid_field", field: "waitSeconds", message: "waitSeconds: must be at least 1" },
    });
    const labels = Object.fromEntries(Array.from({ length: 2 * mostFieldProblems }, (_, at) => [`field${at}`, at]));
    const bounded = errorBody.parse(await (await send("POST", "/v1/sandboxes", { body: labels })).json());
    expect(bounded.errors).toHaveLength(mostFieldProblems);
  });

  test("each request has an id in its answer and in the audit log", async () => {
    const { send } = await newService();
    const ids = [];
    for (const path of ["/v1/sandboxes", "/nope", "/healthz"])
      ids.push((await send("GET", path)).headers.get("request-id"));
    const firstId = (await send("POST", "/v1/sandboxes")).headers.get("request-id");
    expect(new Set([...ids, firstId]).size).toBe(4);
    expect(firstId).toMatch(/^[a-z2-7]{24}$/);
    const { entries } = await (await send("GET", "/v1/audit")).json<{ entries: { requestId: string }[] }>();
    expect(entries.map(({ requestId }) => requestId)).toEqual([firstId]);
  });

  test("an answer names its version, and a request with an unknown version is refused first", async () => {
    const { send } = await newService();
    const headers = { "sandbar-version": currentApiVersion };
    expect((await send("GET", "/v1/sandboxes", { headers })).headers.get("sandbar-version")).toBe(currentApiVersion);
    const refused = send("POST", "/v1/sandboxes", { headers: { "sandbar-version": "2020-01-01" } });
    expect(await errorOf(refused)).toMatchObject({ status: 400, code: "unknown_version", field: "Sandbar-Version" });
    expect(await (await send("GET", "/v1/sandboxes")).json()).toEqual({ sandboxes: [] });
  });

  test("404 is JSON, health needs no key, and every answer has the security headers", async () => {
    const { send } = await newService();
    const missing = await send("GET", "/nope", { key: "" });
    expect(missing.headers.get("x-content-type-options")).toBe("nosniff");
    expect(missing.headers.get("access-control-allow-origin")).toBeNull();
    expect(await errorOf(missing)).toMatchObject({ status: 404, code: "not_found" });
    expect(await (await send("GET", "/healthz", { key: "" })).text()).toBe("ok");
  });

  test("500 reveals nothing and is reported", async () => {
    const harness = await newService();
    harness.service.cluster = () => {
      throw new Error("the inside of the service");
    };
    const answer = await harness.send("POST", "/v1/sandboxes");
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain("inside");
    expect(harness.errors).toHaveLength(1);
  });
});
