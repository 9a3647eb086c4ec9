// What can be done with webhooks. They are in the tenant's object, which sends to them.
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
import type { ControlApiServer } from "../service.ts";

export async function makeWebhook(
  service: ControlApiServer,
  tenantId: string,
  asked: NewWebhook,
): Promise<WebhookWithSecret> {
  checkAddress(service, asked.url);
  const { webhooks: most } = (await standingOf(service, tenantId)).limits;
  // Of its address the host alone: a path may be a secret.
  return audited(service, new URL(asked.url).hostname, async () => {
    const added = await service.tenant(tenantId).addWebhook(asked, most);
    if (added.ok) return added.webhook;
    throw limitReached({
      name: "webhooks",
      limited: Math.min(most ?? limits.webhooks, limits.webhooks),
      used: added.used,
    });
  });
}

export async function listWebhooks(service: ControlApiServer, tenantId: string): Promise<Webhook[]> {
  return [...(await service.tenant(tenantId).listWebhooks())];
}

export async function getWebhook(service: ControlApiServer, tenantId: string, id: string): Promise<WebhookWithSecret> {
  return known(await service.tenant(tenantId).getWebhook(id));
}

export async function changeWebhook(
  service: ControlApiServer,
  tenantId: string,
  id: string,
  to: PatchWebhook,
): Promise<Webhook> {
  if (to.url !== undefined) checkAddress(service, to.url);
  await getWebhook(service, tenantId, id);
  return audited(service, id, async () => known(await service.tenant(tenantId).changeWebhook(id, to)));
}

export async function deleteWebhook(service: ControlApiServer, tenantId: string, id: string): Promise<void> {
  await getWebhook(service, tenantId, id);
  await audited(service, id, async () => {
    if (!(await service.tenant(tenantId).removeWebhook(id))) throw noWebhook();
  });
}

export async function testWebhook(service: ControlApiServer, tenantId: string, id: string): Promise<string> {
  await getWebhook(service, tenantId, id);
  return audited(service, id, async () => known(await service.tenant(tenantId).testWebhook(id)));
}

export async function listDeliveries(service: ControlApiServer, tenantId: string, id: string): Promise<DeliveryList> {
  return known(await service.tenant(tenantId).deliveries(id));
}

function checkAddress({ asksPrivate }: ControlApiServer, url: string): void {
  if (!URL.canParse(url)) throw invalidField("url", "is not an address");
  if (asksPrivate || isPublicHost(new URL(url).hostname)) return;
  throw invalidField("url", "must be at a public address");
}

function known<T>(found: T | undefined): T {
  if (found === undefined) throw noWebhook();
  return found;
}

function noWebhook(): ControlError {
  return new ControlError(404, "not_found", "there is no such webhook");
}
