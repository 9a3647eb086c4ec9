// Injected faults of the calls of webhooks: failures in upstream's words, by the failure policy, and delays up to the timeout.
import { describe, expect, test } from "vitest";
import { textOfBase64 } from "../../shared/base/base64.ts";
import { bytesOfText } from "../../shared/base/byte-text.ts";
import type { ValidatingWebhook } from "../../shared/k8s/api/admissionregistration-v1.ts";
import { validatingWebhookConfigurations } from "../../worker/kinds/admissionregistration/validating-webhook-configuration.ts";
import { customResourceDefinitions } from "../../worker/kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { services } from "../../worker/kinds/core/service/service.ts";
import { newFaultyServer } from "./faulty-server.ts";

const hooks = "validatingwebhookconfigurations.admissionregistration.k8s.io";
const called = 'Post "https://check.default.svc:443/?timeout=5s"';
const failing = 'Internal error occurred: failed calling webhook "check.example.com": failed to call webhook: ';

/** Returns a cluster with a webhook that allows every ConfigMap of the default namespace. */
function newHooked(more: Partial<ValidatingWebhook> = {}) {
  let calls = 0;
  const server = newFaultyServer({
    transport: ({ body }) => {
      calls++;
      const { apiVersion, kind, request } = JSON.parse(textOfBase64(body)) as {
        apiVersion: string;
        kind: string;
        request: { uid: string };
      };
      const response = { uid: request.uid, allowed: true, result: { status: "Success" }, convertedObjects: [] };
      const headers = [["content-type", "application/json"]] as const;
      return Promise.resolve({
        status: 200,
        headers,
        body: bytesOfText(JSON.stringify({ apiVersion, kind, response })),
      });
    },
  });
  const { cluster } = server;
  cluster.client.create(services, {
    metadata: {
      name: "check",
      namespace: "default",
      annotations: { "sandbar.dev/backend": "https://check.example.com" },
    },
    spec: { clusterIP: "10.96.7.7", ports: [{ port: 443 }] },
  });
  const resources = { apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
  cluster.client.create(validatingWebhookConfigurations, {
    metadata: { name: "check" },
    webhooks: [
      {
        name: "check.example.com",
        clientConfig: { service: { namespace: "default", name: "check" } },
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        timeoutSeconds: 5,
        rules: [{ operations: ["CREATE"], ...resources }],
        namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } },
        ...more,
      },
    ],
  });
  return { ...server, calls: server.calls, callCount: () => calls };
}

describe("the webhook of a configuration", () => {
  test.each([
    ["timeout", `${failing}${called}: context deadline exceeded`, [5000]],
    ["refused", `${failing}${called}: dial tcp 10.96.7.7:443: connect: connection refused`, [0]],
    ["error", `${failing}an error on the server ("") has prevented the request from succeeding`, [0]],
  ] as const)(
    "fails with %s: the write is refused, and allowed when the fault ends",
    async (webhook, message, waited) => {
      const { set, create, calls, waits, callCount, faults } = newHooked();
      await set({ name: "hook", selector: { resource: hooks, name: "check" }, action: { webhook } });
      expect((await create("a")).body).toMatchObject({ code: 500, reason: "InternalError", message });
      expect([waits, callCount()]).toEqual([waited, 0]);
      expect(faults.injections()).toMatchObject([{ fault: "hook", resource: hooks, name: "check" }]);
      await calls.deleteFaults("hook");
      expect([(await create("a")).code, callCount()]).toEqual([201, 1]);
    },
  );

  test("is ignored if its failure policy says so", async () => {
    const { set, create, callCount } = newHooked({ failurePolicy: "Ignore" });
    await set({ selector: { resource: hooks }, action: { webhook: "refused" } });
    expect([(await create("a")).code, callCount()]).toEqual([201, 0]);
  });

  test("is slow: its answer counts until its timeout", async () => {
    const { set, create, waits, callCount } = newHooked();
    await set({ action: { webhookDelay: "3s" }, end: { times: 1 } });
    expect([(await create("a")).code, waits, callCount()]).toEqual([201, [3000], 1]);
    await set({ action: { webhookDelay: "8s" } });
    expect((await create("b")).body.message).toBe(`${failing}${called}: context deadline exceeded`);
    expect([waits, callCount()]).toEqual([[3000, 5000], 1]);
  });

  test("is selected by its configuration, its name, the occurrence and the share", async () => {
    const { set, create } = newHooked();
    const codes = async (...names: string[]) => {
      const all: number[] = [];
      for (const name of names) all.push((await create(name)).code);
      return all;
    };
    await set(
      { selector: { resource: hooks, name: "another" }, action: { webhook: "refused" } },
      {
        selector: { resource: "mutatingwebhookconfigurations.admissionregistration.k8s.io" },
        action: { webhook: "refused" },
      },
      { action: { webhook: "refused", of: "another.example.com" } },
      { selector: { occurrence: 2 }, action: { webhook: "refused", of: "check.example.com" } },
    );
    expect(await codes("a", "b", "c")).toEqual([201, 500, 201]);
  });
});

test("the conversion webhook of a definition fails", async () => {
  const { set, ask, cluster } = newHooked();
  const schema = { openAPIV3Schema: { type: "object" } };
  cluster.apply(customResourceDefinitions, {
    metadata: { name: "gears.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "gears", kind: "Gear", singular: "gear", listKind: "GearList" },
      scope: "Namespaced",
      versions: [
        { name: "v1", served: true, storage: true, schema },
        { name: "v2", served: true, storage: false, schema },
      ],
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "default", name: "check" } },
          conversionReviewVersions: ["v1"],
        },
      },
    },
  });
  cluster.runUntilQuiet();
  const gear = { apiVersion: "example.com/v1", kind: "Gear", metadata: { name: "g" } };
  expect((await ask("POST", "/apis/example.com/v1/namespaces/default/gears", { body: gear })).code).toBe(201);
  await set({
    selector: { resource: "customresourcedefinitions.apiextensions.k8s.io", name: "gears.example.com" },
    action: { webhook: "refused" },
  });
  const { code, body } = await ask("GET", "/apis/example.com/v2/namespaces/default/gears/g");
  expect([code, body.message]).toEqual([
    500,
    'conversion webhook for example.com/v1, Kind=Gear failed: Post "https://check.default.svc:443/?timeout=30s": dial tcp 10.96.7.7:443: connect: connection refused',
  ]);
});
