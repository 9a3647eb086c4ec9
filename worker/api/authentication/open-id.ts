// Serves the OpenID discovery of the service account issuer: its configuration and its keys.
import { ApiError } from "../../../shared/k8s/status.ts";
import type { StaticResponse } from "../non-resource/static-response.ts";
import type { TokenKey } from "../api-server.ts";
import { issuer } from "./claims.ts";

const maxAgeSeconds = 3600;

interface OpenIdRequest {
  readonly path: string;
  readonly accept: string | null;
}

/** Serves one of the two paths; undefined for other paths. `base` is the base URL of the keys. Throws 406. */
export function openId({ path, accept }: OpenIdRequest, key: TokenKey, base: string): StaticResponse | undefined {
  if (path === "/openid/v1/jwks") return document(accept, "application/jwk-set+json", { keys: [key.jwk()] });
  if (path !== "/.well-known/openid-configuration") return undefined;
  return document(accept, "application/json", {
    issuer,
    jwks_uri: `${base}/openid/v1/jwks`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
  });
}

function document(accept: string | null, type: string, value: object): StaticResponse {
  const accepted = (accept || "*/*").split(",").map((clause) => clause.split(";")[0]?.trim() ?? "");
  if (!accepted.some((mediaType) => mediaType === "*/*" || mediaType === type)) {
    const message = `406: Not Acceptable\n\nAvailable representations: ${type}`;
    throw new ApiError(406, "NotAcceptable", message, {});
  }
  const headers = { "Content-Type": type, "Cache-Control": `public, max-age=${maxAgeSeconds}` };
  return { status: 200, headers, body: JSON.stringify(value) };
}
