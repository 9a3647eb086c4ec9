// A tenant's object beside real clusters: sandboxes are counted, their usage arrives, templates begin in few rows, and events are sent.
// Clusters keep running if D1 or the tenant's object fails.
import {
  type D1Migration,
  applyD1Migrations,
  createExecutionContext,
  env,
  evictDurableObject,
  waitOnExecutionContext,
} from "cloudflare:test";
import { beforeAll, describe, expect, test } from "vitest";
import { eventLimits } from "../../../shared/base/share-limits.ts";
import { sandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { usage } from "../../../shared/contract/hosted/usage.ts";
import { deliveryList, webhookWithSecret } from "../../../shared/contract/hosted/webhook.ts";
import { handle } from "../../../worker/edge/handler.ts";
import { hashOf } from "../../../worker/edge/mac.ts";
import type { Env } from "../../../worker/env.ts";
import { signedHeaders } from "../../../worker/tenant/signature.ts";
import { patiently } from "../../patiently.ts";

// The pool's configuration binds these.
const bound = env as unknown as Env & { readonly MIGRATIONS: D1Migration[] };
const operatorKey = "sbo_operatoroperatoroperator";
const key = "sbk_adaadaadaadaadaadaada";

beforeAll(async () => {
  await applyD1Migrations(bound.DB, bound.MIGRATIONS);
  await bound.DB.prepare("INSERT INTO tenants (id, name, created_at_ms) VALUES ('ada', 'ada', 0)").run();
  await bound.DB.prepare("INSERT INTO api_keys (hash, tenant_id, created_at_ms) VALUES (?, 'ada', 0)")
    .bind(await hashOf(key))
    .run();
});

async function send(method: string, path: string, body?: unknown, how: { token?: string; env?: Env } = {}) {
  const headers = { authorization: `Bearer ${how.token ?? key}`, "content-type": "application/json" };
  const request = new Request(`https://host${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const context = createExecutionContext();
  const answer = await handle(request, how.env ?? bound);
  await waitOnExecutionContext(context);
  return answer;
}

/** Sends a request as the operator. */
async function operate(change: object) {
  const how = { token: operatorKey, env: { ...bound, SANDBAR_OPERATOR_KEY: operatorKey } };
  expect((await send("PATCH", "/v1/admin/tenants/ada", change, how)).status).toBe(200);
}

async function make(body: unknown = {}) {
  const answer = await send("POST", "/v1/sandboxes", body);
  expect([answer.status, answer.ok ? "" : await answer.clone().text()]).toEqual([201, ""]);
  return sandboxWithToken.parse(await answer.json());
}

const rowsOf = async (id: string) => {
  const { rows } = usage.parse(await (await send("GET", "/v1/usage")).json());
  return rows.find(({ sandbox }) => sandbox?.id === id);
};

/** The number of rows that a sandbox of a template of 1,000 objects may write. */
const fewRows = 60;

describe("a tenant's object", () => {
  test("J1: counts concurrent sandboxes exactly, also for concurrent requests", async () => {
    await send("GET", "/v1/usage");
    await operate({ overrides: { liveSandboxes: 2 } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => send("POST", "/v1/sandboxes", { nodes: 0 })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429]);
    for (const answer of answers) {
      if (answer.status !== 201) continue;
      const { id } = sandboxWithToken.parse(await answer.json());
      expect((await send("DELETE", `/v1/sandboxes/${id}`)).status).toBe(204);
    }
    await operate({ overrides: {} });
    expect(await bound.TENANTS.getByName("ada").counts()).toMatchObject({ liveSandboxes: 0, creationsLastHour: 2 });
  });

  test("J11: receives a sandbox's usage by itself, and with its deletion", async () => {
    const { id, token } = await make({ nodes: 0 });
    for (let at = 0; at < 3; at++) await (await send("GET", `/c/${id}/api/v1/namespaces`, undefined, { token })).text();
    await patiently(async () => expect((await rowsOf(id))?.requests).toBeGreaterThanOrEqual(3), {
      timeout: 30_000,
      interval: 500,
    });
    expect(await rowsOf(id)).toMatchObject({ rowsWritten: expect.any(Number), bytes: expect.any(Number) });
    const before = (await rowsOf(id))?.requests ?? 0;
    await (await send("GET", `/c/${id}/api/v1/namespaces`, undefined, { token })).text();
    await send("DELETE", `/v1/sandboxes/${id}`);
    await patiently(async () => expect((await rowsOf(id))?.requests).toBeGreaterThan(before), {
      timeout: 30_000,
      interval: 500,
    });
  });

  test("X3: writes few rows for a sandbox of a template of 1,000 objects, which has them all", async () => {
    const manifestOf = (at: number) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: item-${at}}\ndata: {a: "${at}"}`;
    const manifests = Array.from({ length: 1000 }, (_, at) => manifestOf(at)).join("\n---\n");
    const response = await send("POST", "/v1/templates", { name: "large", manifests });
    expect([response.status, await response.json()]).toMatchObject([201, { ref: "large@1" }]);
    const { id, token } = await make({ template: "large" });
    const list = await send("GET", `/c/${id}/api/v1/namespaces/default/configmaps`, undefined, { token });
    expect((await list.json<{ items: unknown[] }>()).items).toHaveLength(1001);
    await patiently(async () => expect((await rowsOf(id))?.rowsWritten).toBeGreaterThan(0), {
      timeout: 30_000,
      interval: 500,
    });
    const rows = (await rowsOf(id))?.rowsWritten ?? 0;
    console.info(`a sandbox of a template of 1,000 objects wrote ${rows} rows`);
    expect(rows).toBeLessThanOrEqual(fewRows);
    await send("DELETE", `/v1/sandboxes/${id}`);
  });

  test("X4: starts a built-in template with its incident: the new revision cannot be pulled, and the old one runs", async () => {
    const { id, token } = await make({ template: "broken-rollout" });
    const at = `/c/${id}/api/v1/namespaces/default/pods`;
    const { items } = await (await send("GET", at, undefined, { token })).json<{ items: { status: PodStatus }[] }>();
    const reasons = items.map(({ status }) => status.containerStatuses?.[0]?.state.waiting?.reason ?? status.phase);
    expect(reasons.filter((reason) => reason === "Running")).toHaveLength(3);
    expect(reasons.filter((reason) => /^(ErrImagePull|ImagePullBackOff)$/.test(reason))).toHaveLength(1);
    await send("DELETE", `/v1/sandboxes/${id}`);
  });

  test("X2: gives nodes their names, labels, taints and capacity, which pods respect", async () => {
    const { id, token } = await make({ template: "mixed-nodes" });
    const { items } = await (await send("GET", `/c/${id}/api/v1/nodes`, undefined, { token })).json<{
      items: Node[];
    }>();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["gpu-1", "node-1", "node-2", "node-3"]);
    expect(items[0]).toMatchObject({
      metadata: { labels: { accelerator: "gpu" } },
      spec: { taints: [{ key: "example.com/gpu", value: "true", effect: "NoSchedule" }] },
      status: { capacity: { "example.com/gpu": "2" }, allocatable: { "example.com/gpu": "2" } },
    });
    await send("DELETE", `/v1/sandboxes/${id}`);
  });

  test("X3: limits a template's user to its role", async () => {
    const { id, users = [] } = await make({ template: "team-quota" });
    const token = users[0]?.token ?? "";
    const pods = (namespace: string) =>
      send("GET", `/c/${id}/api/v1/namespaces/${namespace}/pods`, undefined, { token });
    expect([(await pods("team")).status, (await pods("default")).status]).toEqual([200, 403]);
    await send("DELETE", `/v1/sandboxes/${id}`);
  });

  test("J6: sends events by its alarm, signed, and lists the results", async () => {
    const hook = webhookWithSecret.parse(
      await (await send("POST", "/v1/webhooks", { url: "https://hooks.example.org/in" })).json(),
    );
    const heard: { body: string; headers: Headers }[] = [];
    const typeOf = ({ body }: { readonly body: string }) => (JSON.parse(body) as { type: string }).type;
    const real = globalThis.fetch;
    globalThis.fetch = async (url, init) => {
      if (url !== "https://hooks.example.org/in") return real(url, init);
      heard.push({ body: typeof init?.body === "string" ? init.body : "", headers: new Headers(init?.headers) });
      return new Response("thanks", { status: 202 });
    };
    try {
      const { id } = await make({ nodes: 0 });
      await patiently(() => expect(heard.map(typeOf)).toContain("sandbox.created"), { timeout: 20_000, interval: 200 });
      const [{ body, headers } = { body: "", headers: new Headers() }] = heard.filter(
        (message) => typeOf(message) === "sandbox.created",
      );
      expect(JSON.parse(body)).toMatchObject({ type: "sandbox.created", data: { sandbox: { id } } });
      const [messageId, seconds] = [headers.get("webhook-id") ?? "", Number(headers.get("webhook-timestamp"))];
      const expected = signedHeaders([hook.secret], messageId, seconds, body)["webhook-signature"];
      expect(headers.get("webhook-signature")).toBe(expected);
      await patiently(
        async () => {
          const answer = await send("GET", `/v1/webhooks/${hook.id}/deliveries`);
          const { deliveries } = deliveryList.parse(await answer.json());
          expect(deliveries.find((delivery) => delivery.id === messageId)).toMatchObject({
            state: "delivered",
            status: 202,
            attempts: 1,
          });
        },
        { timeout: 20_000, interval: 200 },
      );
      await send("DELETE", `/v1/sandboxes/${id}`);
    } finally {
      globalThis.fetch = real;
      await send("DELETE", `/v1/webhooks/${hook.id}`);
    }
  });

  test("J10: makes a suspended sandbox answer 403 with the reason, and continue unchanged afterwards", async () => {
    const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: nginx}]}";
    const { id, token } = await make({ nodes: 1, manifests: pod });
    const get = () => send("GET", `/c/${id}/api/v1/namespaces/default/pods/a`, undefined, { token });
    await bound.CLUSTERS.getByName(id).setStanding({ suspended: "the bill is not paid", limits: {} });
    // What its kubelet was about to do is not due.
    const health = await bound.CLUSTERS.getByName(id).health();
    expect([health?.suspended, health?.dueAt]).toEqual([true, health?.expiresAt]);
    const refused = await get();
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { kind: "Status", reason: "Forbidden", message: "the sandbox is suspended: the bill is not paid" },
    ]);
    // A pause stays until it is ended itself.
    await bound.CLUSTERS.getByName(id).setStanding({ suspended: "", paused: "a break", limits: {} });
    await bound.CLUSTERS.getByName(id).setStanding({ suspended: "", limits: {} });
    await evictDurableObject(bound.CLUSTERS.getByName(id));
    expect(await (await get()).json()).toMatchObject({ message: "the sandbox is suspended: a break" });
    await bound.CLUSTERS.getByName(id).setStanding({ suspended: "", paused: "", limits: {} });
    await patiently(async () => expect(await (await get()).json()).toMatchObject({ status: { phase: "Running" } }), {
      timeout: 40_000,
      interval: 500,
    });
    await send("DELETE", `/v1/sandboxes/${id}`);
  });
});

describe("faults of D1", () => {
  const failing = { prepare: () => failed(), batch: () => failed(), exec: () => failed() };
  const statement = { bind: () => statement, all: never, first: never, raw: never, run: never };
  const slow = { prepare: () => statement, batch: never, exec: never };

  test.each([
    ["fails", { DB: failing }],
    ["is slow", { DB: slow }],
  ])("J12: with a D1 that %s, a running sandbox is written and read as usual", async (_, broken) => {
    const { id, token } = await make({ nodes: 1 });
    // A D1 as far as anything is asked of it here.
    const faulty = { ...bound, ...broken } as unknown as Env;
    const how = { token, env: faulty };
    const path = `/c/${id}/api/v1/namespaces/default/configmaps`;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    expect((await send("POST", path, object, how)).status).toBe(201);
    expect((await send("GET", `${path}/a`, undefined, how)).status).toBe(200);
    await send("DELETE", `/v1/sandboxes/${id}`);
  });

  test("J12: make the control API answer with an error code, and a creation leaves no count", async () => {
    const faulty = { ...bound, DB: failing } as unknown as Env;
    const before = await bound.TENANTS.getByName("ada").counts();
    const refused = await send("POST", "/v1/sandboxes", {}, { env: faulty });
    expect([refused.status, await refused.json()]).toMatchObject([500, { error: { code: "internal" } }]);
    expect(await bound.TENANTS.getByName("ada").counts()).toMatchObject({ liveSandboxes: before.liveSandboxes });
  });
});

interface PodStatus {
  readonly phase: string;
  readonly containerStatuses?: readonly { readonly state: { readonly waiting?: { readonly reason: string } } }[];
}

interface Node {
  readonly metadata: { readonly name: string };
}

function failed(): never {
  throw new Error("D1_ERROR: the database does not answer");
}

/** Returns a promise that never settles, so a caller that awaits it makes the test fail. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

describe("the stream of events", () => {
  const follow = async (query: string) => {
    const request = new Request(`https://host/v1/events${query}`, { headers: { authorization: `Bearer ${key}` } });
    const answer = await handle(request, bound);
    expect(answer.status).toBe(200);
    return answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  };
  const until = async (reader: Awaited<ReturnType<typeof follow>>, pattern: RegExp) => {
    let text = "";
    while (!pattern.test(text)) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error(`the stream ended: ${text}`);
      text += value;
    }
    return text;
  };

  test("J4: the stream has the life of a real sandbox, also after the tenant's object was evicted", async () => {
    const reader = await follow("");
    const manifests = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}`;
    const { id, phase } = await make({ nodes: 1, manifests });
    expect(phase).toBe("Pending");
    await until(reader, /sandbox\.ready.*"phase":"Running"/);
    await evictDurableObject(bound.TENANTS.getByName("ada"));
    expect((await send("PATCH", `/v1/sandboxes/${id}/clock`, { state: "paused" })).status).toBe(200);
    await until(reader, /sandbox\.changed.*"phase":"Paused"/);
    const paused = sandboxWithToken.parse(await (await send("GET", `/v1/sandboxes/${id}`)).json());
    expect(paused.phase).toBe("Paused");
    await send("DELETE", `/v1/sandboxes/${id}`);
    await until(reader, /sandbox\.deleted.*"phase":"Deleted"/);
    await reader?.cancel();
  }, 60_000);

  test("J4: a followed sandbox's end is reported when it comes, without a request", async () => {
    const { id } = await make({ nodes: 0, ttlSeconds: 10 });
    const reader = await follow(`?sandbox=${id}`);
    await until(reader, /sandbox\.expired.*"phase":"Expired"/);
    await reader?.cancel();
  }, 60_000);

  test("J11: usage has the steps of streams, apart from those of sandboxes, in total and by day", async () => {
    const streamUsage = async () => {
      const { rows } = usage.parse(await (await send("GET", "/v1/usage")).json());
      return rows.find(({ sandbox }) => sandbox === undefined) ?? { requests: 0, rowsRead: 0, awakeHours: 0 };
    };
    const [before, days] = [await streamUsage(), () => send("GET", "/v1/usage?by=day")];
    const total = async () => usage.parse(await (await days()).json()).total.requests;
    const totalBefore = await total();
    const reader = await follow("");
    const { id } = await make({ nodes: 0 });
    await until(reader, /sandbox\.created/);
    await reader?.cancel();
    await patiently(async () => {
      const after = await streamUsage();
      // The opened stream, its first step, and one with the event.
      expect(after.requests).toBeGreaterThanOrEqual(before.requests + 3);
      expect(after.rowsRead).toBeGreaterThan(before.rowsRead);
      expect(after.awakeHours).toBeGreaterThan(before.awakeHours);
      expect(await total()).toBeGreaterThanOrEqual(totalBefore + 3);
    });
    await send("DELETE", `/v1/sandboxes/${id}`);
  }, 60_000);

  test("J4: as many streams are open as may be, and a closed one makes room", async () => {
    const stub = bound.TENANTS.getByName("ada");
    const open = async () => stub.fetch("http://tenant/events", { headers: { upgrade: "websocket" } });
    const sockets = await Promise.all(Array.from({ length: eventLimits.streams }, open));
    for (const { webSocket } of sockets) webSocket?.accept();
    expect((await send("GET", "/v1/events")).status).toBe(409);
    for (const { webSocket } of sockets) webSocket?.close(1000, "");
    await patiently(async () => {
      const answer = await open();
      answer.webSocket?.accept();
      answer.webSocket?.close(1000, "");
      expect(answer.status).toBe(101);
    });
  });
});
