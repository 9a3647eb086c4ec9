// Isolation on the real service: tokens, ids, paths and headers, two tenants, and the end of a sandbox.
import { existsSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { describe, expect, inject, test } from "vitest";
import { clustersFolderOf } from "../../scripts/local/object-files.ts";
import { errorBody } from "../../shared/contract/error.ts";
import { sandboxList, sandboxWithToken } from "../../shared/contract/sandbox.ts";
import { viewToken } from "../../shared/contract/token.ts";
import { eventually } from "./kubectl.ts";
import { type TestSandbox, control, newSandbox } from "./sandbox.ts";
import type { ServiceAddress } from "./service.ts";

const service = inject("service");
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const marker = "only-for-the-owner";

async function sandboxWithSecret(): Promise<TestSandbox> {
  const sandbox = await newSandbox();
  const body = { apiVersion: "v1", kind: "Secret", metadata: { name: marker }, stringData: { k: "v" } };
  const answer = await sandbox.fetch("/api/v1/namespaces/default/secrets", {
    method: "POST",
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(201);
  return sandbox;
}

async function viewTokenOf({ id }: TestSandbox, ttlSeconds = 600): Promise<string> {
  const body = JSON.stringify({ ttlSeconds });
  const answer = await control(service, `/v1/sandboxes/${id}/tokens`, { method: "POST", body });
  expect(answer.status).toBe(201);
  return viewToken.parse(await answer.json()).token;
}

/** Returns the status, headers and body of an answer. */
async function answerText(answer: Response): Promise<{ status: number; body: string }> {
  return { status: answer.status, body: await answer.text() };
}

describe.concurrent("tokens", () => {
  test("A1: a missing, wrong, foreign or expired token is 401 with the same answer everywhere", async () => {
    const [mine, otherSandbox] = await Promise.all([sandboxWithSecret(), newSandbox()]);
    const expired = await viewTokenOf(mine, 1);
    await new Promise((done) => void setTimeout(done, 1500));
    const wrong: Record<string, string>[] = [
      { authorization: "none" },
      bearer("x"),
      bearer(otherSandbox.token),
      bearer(await viewTokenOf(otherSandbox)),
      bearer(expired),
      bearer(`${mine.token}a`),
      bearer(mine.token.slice(0, -1)),
      bearer(mine.token.toUpperCase()),
      bearer(service.apiKey),
      bearer("eyJhbGciOiJub25lIn0.eyJzdWIiOiJzeXN0ZW06YWRtaW4ifQ.x"),
      { authorization: `Basic ${btoa("admin:admin")}` },
      { authorization: "none", "x-remote-user": "admin", "x-remote-group": "system:masters" },
    ];
    const paths = [
      "/api",
      "/version",
      "/readyz",
      "/nothing/here",
      "/api/v1/secrets?watch=1",
      `/api/v1/namespaces/default/secrets/${marker}`,
      "/api/v1/namespaces/default/secrets/not-there",
    ];
    const answers = new Set<string>();
    for (const headers of wrong) {
      for (const path of paths) {
        const { status, body } = await answerText(await mine.fetch(path, { headers }));
        expect(status, `${path} with ${JSON.stringify(headers)}`).toBe(401);
        answers.add(body);
      }
    }
    expect([...answers].map((body): unknown => JSON.parse(body))).toEqual([
      {
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401,
      },
    ]);
  });

  test("A4: a view token gets, lists and watches everything but Secrets, and writes nothing", async () => {
    const sandbox = await sandboxWithSecret();
    const headers = bearer(await viewTokenOf(sandbox));
    const status = async (path: string, init: RequestInit = {}) => {
      const answer = await sandbox.fetch(path, { ...init, headers: { ...headers, ...init.headers } });
      await answer.body?.cancel();
      return answer.status;
    };
    const inDefault = "/api/v1/namespaces/default";
    for (const path of [
      "/api",
      "/version",
      "/api/v1/pods",
      "/api/v1/nodes/node-1",
      "/apis/apps/v1/deployments",
      "/api/v1/events?watch=1&timeoutSeconds=1",
    ]) {
      expect(await status(path), path).toBe(200);
    }
    for (const path of [
      "/api/v1/secrets",
      "/api/v1/secrets?watch=1",
      `${inDefault}/secrets`,
      `${inDefault}/secrets/${marker}`,
      `${inDefault}/secrets/not-there`,
      `${inDefault}/secrets?watch=1&fieldSelector=metadata.name%3D${marker}`,
      "/api/v1/watch/secrets",
    ]) {
      expect([403, 404], path).toContain(await status(path));
    }
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } });
    const writes: [string, string][] = [
      ["POST", `${inDefault}/configmaps`],
      ["POST", `${inDefault}/configmaps?dryRun=All`],
      ["PUT", `${inDefault}/configmaps/kube-root-ca.crt`],
      ["PATCH", `${inDefault}/configmaps/kube-root-ca.crt`],
      ["DELETE", `${inDefault}/configmaps/kube-root-ca.crt`],
      ["DELETE", `${inDefault}/configmaps`],
      ["POST", `${inDefault}/pods/x/binding`],
      ["POST", `${inDefault}/pods/x/eviction`],
      ["PUT", "/api/v1/namespaces/default/finalize"],
    ];
    for (const [method, path] of writes) {
      expect(await status(path, { method, body }), `${method} ${path}`).toBe(403);
      const impersonating = { "impersonate-user": "system:admin", "impersonate-group": "system:masters" };
      expect(await status(path, { method, body, headers: impersonating }), `${method} ${path} as another`).toBe(403);
    }
  });
});

describe.concurrent("ids and paths", () => {
  test("A2: an invented id is 404 with any token, and creates no object", async () => {
    const { id, token } = await newSandbox();
    const before = objectFiles(service);
    const flipped = (id.startsWith("a") ? "b" : "a") + id.slice(1);
    const answers = new Set<string>();
    for (const invented of [flipped, `${id}a`, id.slice(0, -1), id.toUpperCase(), "x", "a".repeat(63)]) {
      for (const headers of [bearer(token), { authorization: "none" }]) {
        const { status, body } = await answerText(
          await fetch(`${service.http}/c/${invented}/api/v1/pods`, { headers }),
        );
        expect(status, invented).toBe(404);
        answers.add(body);
      }
    }
    expect(answers.size, "and says the same everywhere").toBe(1);
    const newFiles = objectFiles(service).filter((name) => !before.includes(name));
    // Other tests make sandboxes meanwhile; each of those has a control API entry, an invented id would be one more.
    expect(newFiles.length).toBeLessThanOrEqual((await knownSandboxes()).length);
  });

  test("A1: no spelling of a path reaches another sandbox", async () => {
    const [mine, otherSandbox] = await Promise.all([newSandbox(), sandboxWithSecret()]);
    const target = `api/v1/namespaces/default/secrets/${marker}`;
    const spellings = [
      `/c/${mine.id}/../${otherSandbox.id}/${target}`,
      `/c/${mine.id}/%2e%2e/${otherSandbox.id}/${target}`,
      `/c/${mine.id}/..%2f${otherSandbox.id}/${target}`,
      `/c/${mine.id}/%2e%2e%2f${otherSandbox.id}%2f${target}`,
      `/c/${mine.id}/..%5c${otherSandbox.id}/${target}`,
      `/c/${mine.id}//c/${otherSandbox.id}/${target}`,
      `/c/${mine.id}/c/${otherSandbox.id}/${target}`,
      `/c/${mine.id}%2f..%2f${otherSandbox.id}/${target}`,
      `/c//${otherSandbox.id}/${target}`,
      `/c/${mine.id};/c/${otherSandbox.id}/${target}`,
      `//c/${otherSandbox.id}/${target}`,
      `/C/${otherSandbox.id}/${target}`,
    ];
    for (const path of spellings) {
      const { status, body } = await raw(service, path, bearer(mine.token));
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(body, path).not.toContain('"data"');
    }
    const host = `${otherSandbox.id}.localhost:${service.httpPort}`;
    expect((await raw(service, `/${target}`, { ...bearer(mine.token), host })).status).toBe(401);
    expect((await raw(service, `/${target}`, { ...bearer(otherSandbox.token), host })).status).toBe(200);
  });

  test("A1: internal headers from a client have no effect", async () => {
    const sandbox = await newSandbox();
    const path = "/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=1";
    for (const spoofed of [
      { "sandbar-watch": "pull" },
      { "Sandbar-Watch": "join", "sandbar-watch-since": "1" },
      { "sandbar-user": "system:admin" },
    ]) {
      const answer = await sandbox.fetch(path, { headers: spoofed });
      expect(answer.status).toBe(200);
      expect([...answer.headers.keys()].filter((name) => name.startsWith("sandbar-"))).toEqual([]);
      expect(await answer.text()).toMatch(/"type":"ADDED"/);
    }
    const view = bearer(await viewTokenOf(sandbox));
    const write = {
      method: "POST",
      body: "{}",
      headers: { ...view, "sandbar-user": "system:admin", "sandbar-groups": "system:masters" },
    };
    expect((await sandbox.fetch("/api/v1/namespaces/default/configmaps", write)).status).toBe(403);
  });
});

describe.concurrent("the control API", () => {
  test("an invalid body is refused with the name of its field", async () => {
    const cases: [string, unknown, string | undefined][] = [
      ["ttlSeconds", { ttlSeconds: "x" }, "invalid_field"],
      ["ttlSeconds", { ttlSeconds: 1 }, "invalid_field"],
      ["nodes", { nodes: -1 }, "invalid_field"],
      ["nodes", { nodes: 5001 }, "invalid_field"],
      ["nodes", { nodes: 1.5 }, "invalid_field"],
      ["name", { name: "Not_Valid" }, "invalid_field"],
      ["name", { name: "a".repeat(64) }, "invalid_field"],
      ["manifests", { manifests: 7 }, "invalid_field"],
      ["color", { color: "blue" }, "invalid_field"],
      ["manifests", { manifests: "kind: [" }, undefined],
      ["manifests", { manifests: "apiVersion: v1\nkind: Nope\nmetadata:\n  name: x\n" }, undefined],
      ["manifests", { manifests: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: Not_Valid\n" }, undefined],
    ];
    for (const [field, body, code] of cases) {
      const answer = await control(service, "/v1/sandboxes", { method: "POST", body: JSON.stringify(body) });
      const { error } = errorBody.parse(await answer.json());
      expect([answer.status, error.field], JSON.stringify(body)).toEqual([400, field]);
      if (code) expect(error.code).toBe(code);
      expect(error.message).not.toBe("");
    }
  });

  test("bodies of the wrong type, unknown paths and methods, and missing keys are refused", async () => {
    const post = (init: RequestInit) => control(service, "/v1/sandboxes", { method: "POST", ...init });
    const answers: [number, string, Response][] = [
      [400, "malformed_json", await post({ body: "{" })],
      [415, "unsupported_media_type", await post({ body: "{}", headers: { "content-type": "text/plain" } })],
      [413, "body_too_large", await post({ body: JSON.stringify({ manifests: "x".repeat(4_000_000) }) })],
      [404, "not_found", await control(service, "/v1/nothing")],
      [404, "not_found", await control(service, "/v1/sandboxes/nope")],
      [405, "method_not_allowed", await control(service, "/v1/sandboxes", { method: "PATCH" })],
      [401, "unauthorized", await control(service, "/v1/sandboxes", { headers: { authorization: "" } })],
      [
        401,
        "unauthorized",
        await control(service, "/v1/sandboxes", { headers: bearer("sbk_aaaaaaaaaaaaaaaaaaaaaaaa") }),
      ],
      [401, "unauthorized", await control(service, "/v1/nothing", { headers: { authorization: "" } })],
    ];
    for (const [status, code, answer] of answers) {
      const { error } = errorBody.parse(await answer.json());
      expect([answer.status, error.code]).toEqual([status, code]);
    }
  });

  test("manifests are applied before the answer", async () => {
    const manifests =
      "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: early\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm\n  namespace: early\n";
    const sandbox = await newSandbox({ name: "given", nodes: 0, manifests });
    expect(sandbox).toMatchObject({ name: "given", nodes: 0 });
    expect((await sandbox.fetch("/api/v1/namespaces/early/configmaps/cm")).status).toBe(200);
    expect(await (await sandbox.fetch("/api/v1/nodes")).json()).toMatchObject({ items: [] });
  });

  test("A1: two tenants see nothing of each other", async () => {
    const headers = bearer(inject("tenants").neighbour);
    const mine = await newSandbox({ name: "mine" });
    const response = await control(service, "/v1/sandboxes", { method: "POST", headers, body: "{}" });
    const theirs = sandboxWithToken.parse(await response.json());
    const list = sandboxList.parse(await (await control(service, "/v1/sandboxes", { headers })).json());
    expect(list.sandboxes.map(({ id }) => id)).toEqual([theirs.id]);
    expect((await knownSandboxes()).map(({ id }) => id)).not.toContain(theirs.id);
    const foreign: [string, string][] = [
      ["GET", ""],
      ["GET", "/kubeconfig"],
      ["POST", "/tokens"],
      ["DELETE", ""],
    ];
    const bodies = new Set<string>();
    for (const [method, path] of foreign) {
      for (const id of [mine.id, "nope"]) {
        const { status, body } = await answerText(
          await control(service, `/v1/sandboxes/${id}${path}`, { method, headers }),
        );
        expect(status, `${method} ${path}`).toBe(404);
        // Each answer names its request.
        bodies.add(body.replace(/"(requestId|instance)":"[^"]*"/g, ""));
      }
    }
    expect(bodies.size, "another's sandbox and none at all look alike").toBe(1);
    expect((await mine.fetch("/api")).status).toBe(200);
    expect((await mine.fetch("/api", { headers: bearer(theirs.token) })).status).toBe(401);
  });
});

describe.concurrent("the end of a sandbox", () => {
  test("A3: an expired sandbox answers 410, is not listed, and is still 401 for another sandbox's token", async () => {
    const sandbox = await newSandbox({ ttlSeconds: 10 });
    const watch = await sandbox.fetch("/api/v1/pods?watch=1");
    expect(watch.status).toBe(200);
    await eventually(
      () => "the sandbox is gone",
      async () => (await sandbox.fetch("/api")).status === 410,
    );
    expect(await (await sandbox.fetch("/api/v1/pods")).json()).toMatchObject({ kind: "Status", code: 410 });
    expect((await sandbox.fetch("/api", { headers: bearer("x") })).status).toBe(401);
    const answer = await control(service, `/v1/sandboxes/${sandbox.id}`);
    expect(answer.status).toBe(410);
    expect(errorBody.parse(await answer.json()).error.code).toBe("expired");
    expect((await knownSandboxes()).map(({ id }) => id)).not.toContain(sandbox.id);
    // An open watch ends with it.
    await Promise.race([
      watch.text(),
      new Promise((_, failed) => void setTimeout(() => failed(new Error("the watch goes on")), 10_000)),
    ]);
  });

  test("a deleted sandbox is gone immediately, for its token and for the control API", async () => {
    const sandbox = await newSandbox();
    expect((await control(service, `/v1/sandboxes/${sandbox.id}`, { method: "DELETE" })).status).toBe(204);
    expect([404, 410]).toContain((await sandbox.fetch("/api")).status);
    expect((await control(service, `/v1/sandboxes/${sandbox.id}`)).status).toBe(404);
    expect((await control(service, `/v1/sandboxes/${sandbox.id}`, { method: "DELETE" })).status).toBe(404);
  });
});

async function knownSandboxes() {
  return sandboxList.parse(await (await control(service, "/v1/sandboxes?limit=500")).json()).sandboxes;
}

/** Lists the database files of a service, which has one file for each Durable Object. */
function objectFiles({ data }: ServiceAddress): string[] {
  const folders = [0, 1, 2, 3, 4, 5, 6, 7].map((process) => clustersFolderOf(data, process)).filter(existsSync);
  return folders.flatMap((folder) => readdirSync(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
}

/** Sends a request with an unmodified path; `fetch` would resolve its dots. */
function raw({ httpPort }: ServiceAddress, path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; body: string }>((done, failed) => {
    const sent = request({ host: "127.0.0.1", port: httpPort, path, headers }, (answer) => {
      let body = "";
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()));
      answer.on("end", () => done({ status: answer.statusCode ?? 0, body }));
    });
    sent.on("error", failed);
    sent.end();
  });
}
