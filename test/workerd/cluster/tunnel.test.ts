// The object's end of a tunnel: authorization, calls, and survival of evictions.
import { evictDurableObject } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { tunnelPath, type TunnelCall, tunnelCall } from "../../../shared/contract/tunnel.ts";
import { newSandbox, type Sandbox } from "./sandbox.ts";
import { openWatch } from "./watch-reader.ts";
import { patiently } from "../../patiently.ts";

type Respond = (question: TunnelCall) => object;

async function openTunnel(sandbox: Sandbox, respond: Respond, name = "hook") {
  const answer = await sandbox.send(`${tunnelPath}?namespace=default&service=${name}`, {
    headers: { upgrade: "websocket" },
  });
  const { webSocket } = answer;
  if (!webSocket) throw new Error(`not opened: ${answer.status} ${await answer.text()}`);
  const tunnelCalls: TunnelCall[] = [];
  const pongs: string[] = [];
  webSocket.addEventListener("message", ({ data }) => {
    if (data === "pong") {
      pongs.push("pong");
      return;
    }
    const question = tunnelCall.parse(JSON.parse(String(data)));
    tunnelCalls.push(question);
    webSocket.send(JSON.stringify({ id: question.id, ...respond(question) }));
  });
  webSocket.accept();
  return { webSocket, asked: tunnelCalls, pongs };
}

function reviewed(response: object): Respond {
  return ({ body }) => {
    const { apiVersion, kind, request } = JSON.parse(atob(body)) as Record<string, { uid: string }>;
    const review = { apiVersion, kind, response: { uid: request?.uid, ...response } };
    return { status: 200, headers: [["content-type", "application/json"]], body: btoa(JSON.stringify(review)) };
  };
}

async function withWebhook(sandbox: Sandbox, withService = true): Promise<void> {
  if (withService) {
    const spec = { ports: [{ port: 443, targetPort: 9443 }] };
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "hook" }, spec };
    await sandbox.call("POST", "/api/v1/namespaces/default/services", service);
  }
  const webhook = {
    name: "hook.example.com",
    clientConfig: { service: { namespace: "default", name: "hook", path: "/validate" }, caBundle: btoa(pem) },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 1,
  };
  const group = "admissionregistration.k8s.io/v1";
  await sandbox.call("POST", `/apis/${group}/validatingwebhookconfigurations`, {
    apiVersion: group,
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "hook" },
    webhooks: [webhook],
  });
}

const pem = "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n";

function create(sandbox: Sandbox, name: string): Promise<Response> {
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  return sandbox.send("/api/v1/namespaces/default/configmaps", { method: "POST", body });
}

async function messageOf(answer: Response): Promise<string> {
  return (await answer.json<{ message: string }>()).message;
}

test("a webhook behind a Service is called through the tunnel, by the Service's name and with its bundle", async () => {
  const sandbox = await newSandbox();
  await withWebhook(sandbox);
  const {
    asked: tunnelCalls,
    pongs,
    webSocket,
  } = await openTunnel(sandbox, reviewed({ allowed: false, status: { message: "no" } }));
  const refused = await create(sandbox, "a");
  expect([refused.status, await messageOf(refused)]).toEqual([
    400,
    'admission webhook "hook.example.com" denied the request: no',
  ]);
  expect(tunnelCalls).toMatchObject([
    {
      method: "POST",
      path: "/validate?timeout=1s",
      serverName: "hook.default.svc",
      caBundle: btoa(pem),
      timeoutMs: 1000,
    },
  ]);
  webSocket.send("ping");
  await patiently(() => expect(pongs).toEqual(["pong"]));
});

test("a tunnel survives an eviction of its cluster; the newest of several for a Service is called, then the previous one", async () => {
  const sandbox = await newSandbox();
  await withWebhook(sandbox);
  const first = await openTunnel(sandbox, reviewed({ allowed: true }));
  await sandbox.quiet();
  await evictDurableObject(sandbox.stub());
  expect((await create(sandbox, "a")).status).toBe(201);
  expect(first.asked).toHaveLength(1);
  const second = await openTunnel(sandbox, reviewed({ allowed: true }));
  expect((await create(sandbox, "b")).status).toBe(201);
  expect([first.asked.length, second.asked.length]).toEqual([1, 1]);
  second.webSocket.close(1000, "done");
  await patiently(async () => {
    expect((await create(sandbox, `c${Date.now()}`)).status).toBe(201);
    expect(first.asked.length).toBeGreaterThan(1);
  });
});

test("a missing Service, missing endpoints, a timeout and a failure of the far end have Go's messages", async () => {
  const sandbox = await newSandbox();
  const url = "https://hook.default.svc:443/validate?timeout=1s";
  const failed = (why: string) =>
    `Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "${url}": ${why}`;
  await withWebhook(sandbox, false);
  expect(await messageOf(await create(sandbox, "a"))).toBe(failed('service "hook" not found'));
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "hook" }, spec: { ports: [{ port: 443 }] } };
  await sandbox.call("POST", "/api/v1/namespaces/default/services", service);
  expect(await messageOf(await create(sandbox, "a"))).toBe(failed('no endpoints available for service "hook"'));
  const broken = await openTunnel(sandbox, () => ({ error: "tls: failed to verify certificate" }));
  expect(await messageOf(await create(sandbox, "a"))).toBe(failed("tls: failed to verify certificate"));
  broken.webSocket.close();
  await openTunnel(sandbox, () => ({ id: "another" }));
  expect(await messageOf(await create(sandbox, "a"))).toBe(failed("context deadline exceeded"));
});

test("a tunnel needs a WebSocket and the permission to update its Service", async () => {
  const sandbox = await newSandbox();
  const path = `${tunnelPath}?namespace=default&service=hook`;
  const plain = await sandbox.send(path);
  expect([plain.status, await messageOf(plain)]).toEqual([400, "a tunnel is a WebSocket"]);
  const asJane = await sandbox.send(path, { headers: { upgrade: "websocket", "impersonate-user": "jane" } });
  expect([asJane.status, await messageOf(asJane)]).toEqual([
    403,
    'services "hook" is forbidden: User "jane" cannot update resource "services" in API group "" in the namespace "default"',
  ]);
  expect((await sandbox.send(tunnelPath, { headers: { upgrade: "websocket" } })).status).toBe(400);
});

/** `size` of v1 is `amount` of v2. */
const convert: Respond = ({ body }) => {
  const { apiVersion, kind, request } = JSON.parse(atob(body)) as {
    apiVersion: string;
    kind: string;
    request: { uid: string; desiredAPIVersion: string; objects: { spec: { size: number } }[] };
  };
  const { uid, desiredAPIVersion, objects } = request;
  const convertedObjects = objects.map((object) => ({
    ...object,
    apiVersion: desiredAPIVersion,
    spec: { amount: String(object.spec.size) },
  }));
  const response = { uid, convertedObjects, result: { status: "Success" } };
  return { status: 200, headers: [], body: btoa(JSON.stringify({ apiVersion, kind, response })) };
};

function gears() {
  const schema = (name: string, type: string) => ({
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties: { [name]: { type } } } },
    },
  });
  const clientConfig = { service: { namespace: "default", name: "hook", path: "/convert" }, caBundle: btoa(pem) };
  const conversion = { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gears.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "gears", kind: "Gear" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema: schema("size", "integer") },
        { name: "v2", served: true, storage: false, schema: schema("amount", "string") },
      ],
      conversion,
    },
  };
}

test("W1: a watch in a version that a webhook converts has the existing objects, and then each change, in order", async () => {
  const sandbox = await newSandbox();
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "hook" }, spec: { ports: [{ port: 443 }] } };
  await sandbox.call("POST", "/api/v1/namespaces/default/services", service);
  await openTunnel(sandbox, convert);
  await sandbox.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", gears());
  const path = (version: string) => `/apis/example.com/${version}/namespaces/default/gears`;
  await vi.waitFor(async () => expect((await sandbox.send(path("v1"))).status).toBe(200), { timeout: 20_000 });
  const put = (name: string, size: number) =>
    sandbox.call("POST", path("v1"), {
      apiVersion: "example.com/v1",
      kind: "Gear",
      metadata: { name },
      spec: { size },
    });
  await put("a", 1);
  await put("b", 2);
  const watch = await openWatch(sandbox, `${path("v2")}?watch=1`);
  const nextEvents = async (count: number) =>
    (await watch.next(count)).map(({ type, object }) => [type, object.metadata.name, object["spec"]]);
  expect(await nextEvents(2)).toEqual([
    ["ADDED", "a", { amount: "1" }],
    ["ADDED", "b", { amount: "2" }],
  ]);
  await put("c", 3);
  await put("d", 4);
  await sandbox.call("DELETE", `${path("v1")}/c`);
  expect(await nextEvents(3)).toEqual([
    ["ADDED", "c", { amount: "3" }],
    ["ADDED", "d", { amount: "4" }],
    ["DELETED", "c", { amount: "3" }],
  ]);
  await watch.cancel();
});
