// The keys of an OpenID Connect issuer: found through its discovery document, cached, and fetched again when a token needs other keys.
import { type JWK, compactVerify, createLocalJWKSet } from "jose";
import type { JwtAuthenticator } from "../../../shared/contract/jwt-authenticator.ts";
import type { OutboundAnswer, OutboundCall } from "../../../shared/k8s/outbound-call.ts";

/** The algorithms that upstream accepts for issuers. */
const algorithms = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"];
/** The minimum time between two requests to an issuer, whatever tokens arrive. */
const patienceMs = 10_000;
/** The time after which keys are fetched again, so that withdrawn keys become invalid. */
const freshMs = 3_600_000;
const timeoutMs = 10_000;
const maxKeys = 50;

export interface IssuerKeys {
  /** Verifies the signature of a token. Throws an Error with the reason. */
  verify(token: string): Promise<void>;
}

interface Key {
  readonly id: string;
  readonly find: ReturnType<typeof createLocalJWKSet>;
}

type Issuer = JwtAuthenticator["issuer"];
type Ask = (call: OutboundCall) => Promise<OutboundAnswer>;

export function issuerKeys(config: Issuer, ask: Ask, nowMs: () => number): IssuerKeys {
  let keys: readonly Key[] = [];
  let foundMs = Number.NEGATIVE_INFINITY;
  let askedMs = Number.NEGATIVE_INFINITY;
  let failure = "";
  let asking: Promise<void> | undefined;
  const find = async () => {
    askedMs = nowMs();
    try {
      keys = await findKeys(config, ask);
      foundMs = askedMs;
      failure = "";
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    asking = undefined;
  };
  const refresh = async () => {
    if (asking === undefined && nowMs() - askedMs >= patienceMs) asking = find();
    await asking;
  };
  return {
    verify: async (token) => {
      if (nowMs() - foundMs >= freshMs) await refresh();
      if (await isSigned(token, keys)) return;
      await refresh();
      if (keys.length === 0) throw new Error(`authenticator not initialized${failure ? `: ${failure}` : ""}`);
      if (await isSigned(token, keys)) return;
      const why = failure ? `fetching keys ${failure}` : "failed to verify id token signature";
      throw new Error(`verify token: failed to verify signature: ${why}`);
    },
  };
}

async function isSigned(token: string, keys: readonly Key[]): Promise<boolean> {
  const id = keyIdOf(token);
  for (const key of keys) {
    if (id !== "" && key.id !== id) continue;
    try {
      await compactVerify(token, key.find, { algorithms });
      return true;
    } catch {
      // Another key may have signed the token.
    }
  }
  return false;
}

function keyIdOf(token: string): string {
  try {
    const text = atob((token.split(".")[0] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    const header: unknown = JSON.parse(text);
    const id = typeof header === "object" && header !== null && "kid" in header ? header.kid : undefined;
    return typeof id === "string" ? id : "";
  } catch {
    return "";
  }
}

async function findKeys(config: Issuer, ask: Ask): Promise<Key[]> {
  const { url: issuerUrl, discoveryURL, certificateAuthority: authority } = config;
  const caBundle = authority ? { caBundle: btoa(authority) } : {};
  const get = async (url: string) => {
    const answer = await ask({ to: { url, ...caBundle }, method: "GET", body: "", timeoutMs });
    if (!answer.ok) throw new Error(answer.message);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body.slice(0, 200)}`);
    const document: unknown = JSON.parse(answer.body);
    if (typeof document !== "object" || document === null) throw new Error(`${url} is no JSON object`);
    // Each field of the object is checked below.
    return document as Record<string, unknown>;
  };
  const discovery = await get(discoveryURL ?? `${issuerUrl.replace(/\/$/, "")}/.well-known/openid-configuration`);
  const { issuer, jwks_uri: address } = discovery;
  if (issuer !== issuerUrl) {
    const actualIssuer = typeof issuer === "string" ? issuer : "";
    throw new Error(
      `oidc: issuer did not match the issuer returned by provider, expected "${issuerUrl}" got "${actualIssuer}"`,
    );
  }
  if (typeof address !== "string" || !address.startsWith("https://")) throw new Error("jwks_uri is no https address");
  const { keys } = await get(address);
  if (!Array.isArray(keys)) throw new Error("the key set has no keys");
  return keys.slice(0, maxKeys).flatMap(keyOf);
}

function keyOf(value: unknown): Key[] {
  if (typeof value !== "object" || value === null || !("kty" in value)) return [];
  // The library validates the other fields when it uses the key.
  const key = value as JWK;
  if (key.kty === "oct" || (key.use !== undefined && key.use !== "sig")) return [];
  try {
    return [{ id: typeof key.kid === "string" ? key.kid : "", find: createLocalJWKSet({ keys: [key] }) }];
  } catch {
    return [];
  }
}
