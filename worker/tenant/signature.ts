// The signatures of what is sent to webhooks, as Standard Webhooks has them: HMAC-SHA-256 over id, time and body, with a key of each webhook.
import { createHmac } from "node:crypto";
import { base64Of, bytesOfBase64 } from "../../shared/base/base64.ts";

const prefix = "whsec_";

/** The key of a webhook follows from a value of the service's secret: nothing is stored. */
export function webhookSecret(secret: string, id: string): string {
  return prefix + base64Of(createHmac("sha256", secret).update(`webhook:${id}`).digest());
}

/** `seconds` since 1970. A signature by each key: a receiver accepts the message if one of them is by the key that it has. */
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
