// A provider of OpenID Connect: its metadata, and the exchange of an authorization code for a verified id token.
import { jwtVerify } from "jose";
import * as z from "zod";
import { BoundedCache } from "../../../../../shared/base/bounded-cache.ts";
import { identityLimits } from "../../../../../shared/base/request-limits.ts";
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { type AskPlatform, jsonOf, urlProblem } from "../../../../lti/ask.ts";
import { PlatformKeys } from "../../../../lti/platform-keys.ts";

/** Signatures by keys of the provider alone. A shared secret or none would let others sign. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const userAgent = { "user-agent": "sandbar" };

const address = z.string().max(identityLimits.urlCharacters);
const names = z.array(z.string().max(identityLimits.nameCharacters)).max(100);

const metadata = z.object({
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: address.optional(),
  token_endpoint_auth_methods_supported: names.default(["client_secret_basic"]),
  code_challenge_methods_supported: names.optional(),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

export type Metadata = z.output<typeof metadata>;

/** A reason that concerns the provider, as the rest of a sentence about it. */
export class ProviderError extends Error {}

export interface Provider {
  readonly ask: AskPlatform;
  /** True on a user's machine, where a provider can have a private address and no TLS. */
  readonly mayBePrivate: boolean;
  nowMs(): number;
}

export interface Client {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** The claims of an id token. An address that the provider has not verified is left out. */
export interface Claims {
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly userName: string;
}

interface CachedMetadata {
  readonly result: { readonly metadata: Metadata } | { readonly error: ProviderError };
  readonly untilMs: number;
}

const cachedMetadata = new BoundedCache<string, CachedMetadata>(identityLimits.rememberedIssuers);
const keys = new PlatformKeys();

/** Returns the provider's metadata, which is cached. A failure is cached for a moment, because strangers can ask. Throws `ProviderError`. */
export async function discover(provider: Provider, issuer: string): Promise<Metadata> {
  const cached = cachedMetadata.get(issuer);
  if (!cached || cached.untilMs <= provider.nowMs()) return readMetadata(provider, issuer);
  if ("error" in cached.result) throw cached.result.error;
  return cached.result.metadata;
}

/** Reads the provider's metadata, and caches the result. Throws `ProviderError`. */
export async function readMetadata(provider: Provider, issuer: string): Promise<Metadata> {
  const remember = (result: CachedMetadata["result"], ms: number) =>
    cachedMetadata.set(issuer, { result, untilMs: provider.nowMs() + ms });
  try {
    const metadata = await fetchMetadata(provider, issuer);
    remember({ metadata }, identityLimits.rememberedIssuerMs);
    return metadata;
  } catch (error) {
    if (error instanceof ProviderError) remember({ error }, identityLimits.failedIssuerMs);
    throw error;
  }
}

async function fetchMetadata({ ask, mayBePrivate }: Provider, issuer: string): Promise<Metadata> {
  const url = `${trimmedEnd(issuer, "/")}/.well-known/openid-configuration`;
  const answer = jsonOf(await ask({ url, headers: { accept: "application/json", ...userAgent } }));
  if ("error" in answer) throw new ProviderError(`has no metadata at ${url}: ${answer.error}`);
  const read = metadata.safeParse(answer.json);
  if (!read.success) {
    throw new ProviderError(`has incomplete metadata: ${read.error.issues[0]?.path.join(".") || "it is no object"}`);
  }
  const { data } = read;
  if (data.issuer !== issuer) throw new ProviderError(`has another issuer in its metadata: ${data.issuer}`);
  for (const field of ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"] as const) {
    const url = data[field];
    const problem = url === undefined ? undefined : urlProblem(url, mayBePrivate);
    if (problem !== undefined) throw new ProviderError(`has a ${field} that ${problem}`);
  }
  if (data.code_challenge_methods_supported?.includes("S256") === false)
    throw new ProviderError("does not support PKCE with S256");
  return data;
}

/** The answer to a code. The access token only reads the person's claims. */
export interface Tokens {
  readonly idToken: string;
  readonly accessToken: string | undefined;
}

const token = z.string().max(identityLimits.idTokenCharacters);
const tokens = z.object({ id_token: token, access_token: token.optional().catch(undefined) });

/** Exchanges a code. Throws `ProviderError`. */
export async function exchange(
  { ask }: Provider,
  { token_endpoint: url, token_endpoint_auth_methods_supported: methods }: Metadata,
  { clientId, clientSecret, redirectUri }: Client,
  { code, verifier }: { readonly code: string; readonly verifier: string },
): Promise<Tokens> {
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const isBasic =
    clientSecret !== "" && (methods.includes("client_secret_basic") || !methods.includes("client_secret_post"));
  if (!isBasic) form.set("client_id", clientId);
  if (clientSecret !== "" && !isBasic) form.set("client_secret", clientSecret);
  const headers = {
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
    ...userAgent,
    ...(isBasic ? { authorization: `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}` } : {}),
  };
  const answer = jsonOf(await ask({ url, method: "POST", headers, body: form.toString() }));
  if ("error" in answer) throw new ProviderError(`refuses the code: ${answer.error}`);
  const read = tokens.safeParse(answer.json);
  if (!read.success) throw new ProviderError("sends no id token for the code");
  return { idToken: read.data.id_token, accessToken: read.data.access_token };
}

/** RFC 6749 encodes the client's id and secret before it joins them. */
function formEncoded(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

function optional<T extends z.ZodType>(schema: T) {
  return schema.nullish().catch(undefined);
}

const text = optional(z.string().max(identityLimits.nameCharacters));

/** Claims about a person, of an id token or of the userinfo endpoint. */
const personClaims = z.object({
  sub: z.string().min(1).max(identityLimits.nameCharacters),
  email: optional(z.string().max(identityLimits.emailCharacters)),
  email_verified: optional(z.union([z.boolean(), z.enum(["true", "false"])])),
  name: text,
  given_name: text,
  family_name: text,
  preferred_username: text,
});

const payload = personClaims.extend({
  aud: z.union([z.string(), z.array(z.string()).max(10)]),
  azp: text,
  nonce: z.string(),
});

/** Verifies the id token and returns the person's claims. Throws `ProviderError`. */
export async function verify(
  provider: Provider,
  { jwks_uri: jwksUrl, userinfo_endpoint: userInfoUrl }: Metadata,
  { issuer, clientId }: Pick<Client, "issuer" | "clientId">,
  { idToken, accessToken }: Tokens,
  nonce: string,
): Promise<Claims> {
  const { ask, nowMs } = provider;
  const options = {
    algorithms,
    issuer,
    audience: clientId,
    requiredClaims: ["exp", "iat", "sub"],
    clockTolerance: identityLimits.clockSeconds,
    maxTokenAge: identityLimits.idTokenSeconds,
    currentDate: new Date(nowMs()),
  };
  const verified = await keys
    .use(ask, jwksUrl, nowMs(), (set) => jwtVerify(idToken, set, options))
    .catch((error: unknown) => {
      throw new ProviderError(`sends an id token that is not valid: ${error instanceof Error ? error.message : ""}`);
    });
  const read = payload.safeParse(verified.payload);
  if (!read.success) throw new ProviderError(`sends an id token without ${read.error.issues[0]?.path.join(".") ?? ""}`);
  const { aud, azp, sub, email } = read.data;
  if ((Array.isArray(aud) && aud.length > 1 && !azp) || (azp && azp !== clientId))
    throw new ProviderError("sends an id token for another client");
  if (read.data.nonce !== nonce) throw new ProviderError("sends an id token of another sign-in");
  // Providers may leave out of the id token what the access token reads.
  if (email || userInfoUrl === undefined || accessToken === undefined) return claimsOf(read.data);
  return claimsOf(await userInfo(provider, userInfoUrl, accessToken, sub));
}

/** Reads the claims of a person. Throws `ProviderError` if they are those of another. */
async function userInfo({ ask }: Provider, url: string, accessToken: string, subject: string) {
  const headers = { accept: "application/json", authorization: `Bearer ${accessToken}`, ...userAgent };
  const answer = jsonOf(await ask({ url, headers }));
  if ("error" in answer) throw new ProviderError(`does not describe the person: ${answer.error}`);
  const read = personClaims.safeParse(answer.json);
  if (!read.success || read.data.sub !== subject) throw new ProviderError("describes another person");
  return read.data;
}

function claimsOf(claims: z.output<typeof personClaims>): Claims {
  const { sub, email, email_verified: isVerified, name, given_name, family_name, preferred_username } = claims;
  return {
    subject: sub,
    email: isVerified === true || isVerified === "true" ? (email ?? "").toLowerCase() : "",
    name: name ?? "",
    givenName: given_name ?? "",
    familyName: family_name ?? "",
    userName: preferred_username ?? "",
  };
}
