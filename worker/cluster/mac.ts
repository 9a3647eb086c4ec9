// Message authentication codes, synchronously.
import { createHmac } from "node:crypto";

/** HMAC with SHA-256, in base64url. */
export function hmacSha256(key: string, text: string): string {
  return createHmac("sha256", key).update(text).digest("base64url");
}
