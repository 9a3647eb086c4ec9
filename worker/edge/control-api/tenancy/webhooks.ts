// Operations on webhooks, which the tenant's Durable Object stores and sends.
import { isPublicHost } from "../../../../shared/base/public-host.ts";
import { limits } from "../../../../shared/base/limits.ts";
import type {
  DeliveryList,
  NewWebhook,
  PatchWebhook,
  Webhook,
  WebhookWithSecret,
} from "../../../../shared/contract/hosted/webhook.ts";
import { audited } from "../access/audit.ts";
import { invalidField } from "../body.ts";
import { ControlError } from "../control-error.ts";
import { limitReached, standingOf } from "./plans.ts";
import type { ControlApiServer } from "../server.ts";

export async function makeWebhook(
  controlApi: ControlApiServer,
  tenantId: string,
  newWebhook: NewWebhook,
): Promise<WebhookWithSecret> {
  checkAddress(controlApi, newWebhook.url);
  const { webhooks: most } = (await standingOf(controlApi, tenantId)).limits;
  // Audit only the host, because the path may be a secret.
  return audited(controlApi, new URL(newWebhook.url).hostname, async () => {
    const added = await controlApi.tenant(tenantId).addWebhook(newWebhook, most);
    if (added.ok) return added.webhook;
    throw limitReached({
      name: "webhooks",
      limited: Math.min(most ?? limits.webhooks, limits.webhooks),
      used: added.used,
    });
  });
}

export async function listWebhooks(controlApi: ControlApiServer, tenantId: string): Promise<Webhook[]> {
  return [...(await controlApi.tenant(tenantId).listWebhooks())];
}

export async function getWebhook(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<WebhookWithSecret> {
  return requireFound(await controlApi.tenant(tenantId).getWebhook(id));
}

export async function changeWebhook(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
  to: PatchWebhook,
): Promise<Webhook> {
  if (to.url !== undefined) checkAddress(controlApi, to.url);
  await getWebhook(controlApi, tenantId, id);
  return audited(controlApi, id, async () => requireFound(await controlApi.tenant(tenantId).changeWebhook(id, to)));
}

export async function deleteWebhook(controlApi: ControlApiServer, tenantId: string, id: string): Promise<void> {
  await getWebhook(controlApi, tenantId, id);
  await audited(controlApi, id, async () => {
    if (!(await controlApi.tenant(tenantId).removeWebhook(id))) throw noWebhook();
  });
}

export async function testWebhook(controlApi: ControlApiServer, tenantId: string, id: string): Promise<string> {
  await getWebhook(controlApi, tenantId, id);
  return audited(controlApi, id, async () => requireFound(await controlApi.tenant(tenantId).testWebhook(id)));
}

export async function rotateWebhook(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<WebhookWithSecret> {
  await getWebhook(controlApi, tenantId, id);
  return audited(controlApi, id, async () => requireFound(await controlApi.tenant(tenantId).rotateWebhook(id)));
}

export async function redeliver(
  controlApi: ControlApiServer,
  tenantId: string,
  { webhook, delivery }: { readonly webhook: string; readonly delivery: string },
): Promise<string> {
  await getWebhook(controlApi, tenantId, webhook);
  return audited(controlApi, webhook, async () => {
    const result = await controlApi.tenant(tenantId).redeliver(webhook, delivery);
    if (result === "unknown") throw new ControlError(404, "not_found", "there is no such delivery");
    if (result === "gone") throw new ControlError(410, "expired", "the content of the delivery is not kept any more");
    if (result === "full") {
      const message = `${limits.waitingDeliveries} deliveries are waiting, as many as may: ask again later`;
      throw new ControlError(409, "busy", message);
    }
    return delivery;
  });
}

export async function listDeliveries(
  controlApi: ControlApiServer,
  tenantId: string,
  id: string,
): Promise<DeliveryList> {
  return requireFound(await controlApi.tenant(tenantId).deliveries(id));
}

function checkAddress({ asksPrivate }: ControlApiServer, url: string): void {
  if (!URL.canParse(url)) throw invalidField("url", "is not an address");
  if (asksPrivate) return;
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:") throw invalidField("url", "must be an https address without a user name");
  if (!isPublicHost(hostname)) throw invalidField("url", "must be at a public address");
}

function requireFound<T>(result: T | undefined): T {
  if (result === undefined) throw noWebhook();
  return result;
}

function noWebhook(): ControlError {
  return new ControlError(404, "not_found", "there is no such webhook");
}
