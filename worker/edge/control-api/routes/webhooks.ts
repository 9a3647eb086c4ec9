// Routes of webhooks, which receive events of sandboxes.
import {
  deliveryList,
  newWebhook,
  patchWebhook,
  testDelivery,
  webhook,
  webhookList,
  webhookWithSecret,
} from "../../../../shared/contract/hosted/webhook.ts";
import { json, nothing } from "../answers.ts";
import { route } from "../route.ts";
import {
  changeWebhook,
  deleteWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  makeWebhook,
  testWebhook,
} from "../tenancy/webhooks.ts";

export const webhookRoutes = [
  route({
    method: "POST",
    path: "/v1/webhooks",
    id: "createWebhook",
    summary: "Creates a webhook: sandbox events are sent to its address, signed according to Standard Webhooks.",
    access: { kind: "scope", scope: "webhooks:write" },
    body: newWebhook,
    answer: { status: 201, json: webhookWithSecret },
    errors: ["limit_reached"],
    handle: async ({ controlApi, tenantId, body }) => json(await makeWebhook(controlApi, tenantId, body), 201),
  }),
  route({
    method: "GET",
    path: "/v1/webhooks",
    id: "listWebhooks",
    summary: "Lists all webhooks, without their secrets.",
    access: { kind: "scope", scope: "webhooks:read" },
    answer: { status: 200, json: webhookList },
    handle: async ({ controlApi, tenantId }) => json({ webhooks: await listWebhooks(controlApi, tenantId) }),
  }),
  route({
    method: "GET",
    path: "/v1/webhooks/{webhook}",
    id: "getWebhook",
    summary: "Returns a webhook with its secret.",
    access: { kind: "scope", scope: "webhooks:write" },
    answer: { status: 200, json: webhookWithSecret },
    handle: async ({ controlApi, tenantId, path: { webhook: id = "" } }) =>
      json(await getWebhook(controlApi, tenantId, id)),
  }),
  route({
    method: "PATCH",
    path: "/v1/webhooks/{webhook}",
    id: "changeWebhook",
    summary: "Changes a webhook's address or events, or switches it off or on.",
    access: { kind: "scope", scope: "webhooks:write" },
    body: patchWebhook,
    answer: { status: 200, json: webhook },
    handle: async ({ controlApi, tenantId, body, path: { webhook: id = "" } }) =>
      json(await changeWebhook(controlApi, tenantId, id, body)),
  }),
  route({
    method: "DELETE",
    path: "/v1/webhooks/{webhook}",
    id: "deleteWebhook",
    summary: "Deletes a webhook. Pending deliveries are discarded.",
    access: { kind: "scope", scope: "webhooks:write" },
    answer: { status: 204 },
    handle: async ({ controlApi, tenantId, path: { webhook: id = "" } }) => {
      await deleteWebhook(controlApi, tenantId, id);
      return nothing();
    },
  }),
  route({
    method: "POST",
    path: "/v1/webhooks/{webhook}/test",
    id: "testWebhook",
    summary: "Sends an event of the type `test`. Its result is listed with the deliveries.",
    access: { kind: "scope", scope: "webhooks:write" },
    answer: { status: 201, json: testDelivery },
    handle: async ({ controlApi, tenantId, path: { webhook: id = "" } }) =>
      json({ delivery: await testWebhook(controlApi, tenantId, id) }, 201),
  }),
  route({
    method: "GET",
    path: "/v1/webhooks/{webhook}/deliveries",
    id: "listDeliveries",
    summary: "Lists the latest deliveries of a webhook and their results, the newest first.",
    access: { kind: "scope", scope: "webhooks:read" },
    answer: { status: 200, json: deliveryList },
    handle: async ({ controlApi, tenantId, path: { webhook: id = "" } }) =>
      json(await listDeliveries(controlApi, tenantId, id)),
  }),
];
