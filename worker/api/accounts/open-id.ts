// OpenID discovery of the service accounts' issuer: who signs, and with which key.
import type { Document } from "../document.ts";
import type { TokenKey } from "../service.ts";
import { issuer } from "./claims.ts";

const maxAgeSeconds = 3600;

/** The answer of one of the two paths, or undefined; `host` is where the keys are told to be. */
export function openId(path: string, key: TokenKey, base: string): Document | undefined {
  if (path === "/openid/v1/jwks") return document("application/jwk-set+json", { keys: [key.jwk()] });
  if (path !== "/.well-known/openid-configuration") return undefined;
  return document("application/json", {
    issuer,
    jwks_uri: `${base}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
}

function document(type: string, value: object): Document {
  const headers = { "Content-Type": type, "Cache-Control": `public, max-age=${maxAgeSeconds}` };
  return { status: 200, headers, body: JSON.stringify(value) };
}
