// Signatures of webhooks by Standard Webhooks: HMAC-SHA-256 over id, time and body, with a key for each webhook.
import { createHmac } from "node:crypto";
import type { Webhook, WebhookWithSecret } from "../../shared/contract/hosted/webhook.ts";
import type { SecretState } from "./webhooks.ts";
import { base64Of, bytesOfBase64 } from "../../shared/base/base64.ts";

const prefix = "whsec_";

/** Derives the key of a webhook from the service's secret, so that it is not stored. `version`: the number of its rotations. */
export function webhookSecret(secret: string, id: string, version = 0): string {
  const name = version === 0 ? `webhook:${id}` : `webhook:${id}:${version}`;
  return prefix + base64Of(createHmac("sha256", secret).update(name).digest());
}

/**
 * Returns the headers with a signature by each key. `seconds` is since 1970. A receiver accepts the message if one signature is by its key.
 */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = bytesOfBase64(secret.slice(prefix.length));
    return `v1,${base64Of(createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest())}`;
  });
  return {
    "content-type": "application/json",
    "user-agent": "sandbar-webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}

/** Returns a webhook with its current secret. */
export function withSecret(secret: string, webhook: Webhook, state: SecretState | undefined): WebhookWithSecret {
  const { version = 0, previousUntilMs } = state ?? {};
  const until = previousUntilMs === undefined ? {} : { previousSecretUntil: new Date(previousUntilMs).toISOString() };
  return { ...webhook, secret: webhookSecret(secret, webhook.id, version), ...until };
}
