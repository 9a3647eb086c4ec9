// Access tokens of a platform's services: OAuth 2.0 client credentials with a JWT that the tool signs.
import * as z from "zod";
import { BoundedCache } from "../../shared/base/bounded-cache.ts";
import type { Secret } from "../../shared/base/secret.ts";
import { ltiLimits } from "../../shared/base/lti-limits.ts";
import { type AskPlatform, jsonOf } from "./ask.ts";
import { signClaims, type ToolKey } from "./tool-key.ts";

/** The tool's client id at a platform, and the platform's token URL. */
export interface Client {
  readonly clientId: string;
  readonly tokenUrl: string;
  /** The audience of the signed request; empty for the token URL. */
  readonly audience: string;
}

/** The dependencies of calls to a platform. */
export interface Asking {
  readonly ask: AskPlatform;
  readonly tokens: AccessTokens;
  /** The service's secret. */
  readonly secret: Secret;
  readonly nowMs: number;
}

const granted = z.object({
  access_token: z.string().min(1).max(ltiLimits.tokenCharacters),
  expires_in: z.coerce.number().min(0).catch(0),
});

/** Caches tokens until shortly before they expire. */
export class AccessTokens {
  readonly #known = new BoundedCache<string, { readonly token: string; readonly untilMs: number }>(
    ltiLimits.rememberedTokens,
  );

  async get(
    client: Client,
    key: ToolKey,
    scopes: readonly string[],
    { ask, secret, nowMs }: Omit<Asking, "tokens">,
  ): Promise<{ readonly token: string } | { readonly error: string }> {
    const name = nameOf(client, key, scopes);
    const cachedToken = this.#known.get(name);
    if (cachedToken && cachedToken.untilMs > nowMs) return cachedToken;
    const tokenResponse = jsonOf(await ask(await requestFor(client, key, scopes, secret, nowMs)));
    if ("error" in tokenResponse) return { error: `no access token: ${tokenResponse.error}` };
    const answer = granted.safeParse(tokenResponse.json);
    if (!answer.success) return { error: "no access token: the answer has none" };
    const { access_token: token, expires_in: seconds } = answer.data;
    this.#known.set(name, { token, untilMs: nowMs + seconds * 1000 - ltiLimits.tokenMarginMs });
    return { token };
  }

  /** Removes a token that was refused. */
  forget(client: Client, key: ToolKey, scopes: readonly string[]): void {
    this.#known.delete(nameOf(client, key, scopes));
  }
}

async function requestFor(client: Client, key: ToolKey, scopes: readonly string[], secret: Secret, nowMs: number) {
  const { clientId, tokenUrl, audience } = client;
  const claims = { iss: clientId, sub: clientId, aud: audience || tokenUrl, jti: crypto.randomUUID() };
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: await signClaims(secret, key, claims, nowMs),
    scope: scopes.join(" "),
  });
  const headers = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  return { url: tokenUrl, method: "POST", headers, body: body.toString() } as const;
}

/** Includes the key, because platforms of two tenants may have the same client id and URL. */
function nameOf({ clientId, tokenUrl }: Client, { kid }: ToolKey, scopes: readonly string[]): string {
  return JSON.stringify([tokenUrl, clientId, kid, scopes]);
}
