// The signatures of what is sent to webhooks, as Standard Webhooks has them: HMAC-SHA-256 over id, time and body, with a key of each webhook.
import { createHmac } from "node:crypto";
import { base64Of, bytesOfBase64 } from "../../shared/base/base64.ts";

const prefix = "whsec_";

/** The key of a webhook follows from the service's secret: nothing is stored. */
export function webhookSecret(secret: string, id: string): string {
  return prefix + base64Of(createHmac("sha256", secret).update(`webhook:${id}`).digest());
}

/** `seconds` since 1970. */
export function signedHeaders(secret: string, id: string, seconds: number, body: string): Record<string, string> {
  const key = bytesOfBase64(secret.slice(prefix.length));
  const signature = base64Of(createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest());
  return {
    "content-type": "application/json",
    "user-agent": "sandbar-webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${signature}`,
  };
}
