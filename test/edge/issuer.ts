// A small provider of OpenID Connect: metadata, keys, and id tokens for codes. It answers as the Node.js process beside a local service.
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export const issuerUrl = "https://idp.example.org";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly form: URLSearchParams;
}

export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean | string;
  readonly name?: string;
}

export async function newIssuer() {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" };
  const received: Sent[] = [];
  const state = {
    /** Replaces members of the metadata. */
    metadata: {} as Record<string, unknown>,
    /** Replaces claims of id tokens. */
    claims: {} as Record<string, unknown>,
    /** Replaces claims of the userinfo endpoint. */
    info: {} as Record<string, unknown>,
    nowMs: 0,
    /** The answers at these paths, in place of the issuer's. */
    broken: new Map<string, () => { status: number; body: string }>(),
    signWith: privateKey as Parameters<SignJWT["sign"]>[0],
    algorithm: "ES256",
  };
  let userInfo = "";
  const codes = new Map<string, { readonly person: Person; readonly nonce: string; readonly challenge: string }>();

  /** Signs a person in at the provider, as its page does. Returns the parameters of the redirect. */
  const approve = (location: string, person: Person): { readonly code: string; readonly state: string } => {
    const { searchParams } = new URL(location);
    const code = `code${codes.size}`;
    codes.set(code, {
      person,
      nonce: searchParams.get("nonce") ?? "",
      challenge: searchParams.get("code_challenge") ?? "",
    });
    return { code, state: searchParams.get("state") ?? "" };
  };

  const token = async ({ form, headers }: Sent) => {
    const grant = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const verifier = new TextEncoder().encode(form.get("code_verifier") ?? "");
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", verifier));
    const challenge = Buffer.from(digest).toString("base64url");
    const secret = headers.get("authorization") ?? form.get("client_secret");
    if (!grant || grant.challenge !== challenge || !secret)
      return { status: 400, body: JSON.stringify({ error: "invalid_grant" }) };
    const at = Math.floor(state.nowMs / 1000);
    const claims = { iss: issuerUrl, aud: "sandbar", iat: at, exp: at + 300, nonce: grant.nonce, ...grant.person };
    const signed = new SignJWT({ ...claims, ...state.claims }).setProtectedHeader({ alg: state.algorithm, kid: "k1" });
    userInfo = JSON.stringify({ ...grant.person, ...state.info });
    return {
      status: 200,
      body: JSON.stringify({ id_token: await signed.sign(state.signWith), access_token: "access" }),
    };
  };

  const answer = async (sent: Sent): Promise<{ status: number; body: string }> => {
    received.push(sent);
    const special = state.broken.get(sent.path);
    if (special) return special();
    if (sent.path === "/.well-known/openid-configuration") {
      const metadata = {
        issuer: issuerUrl,
        authorization_endpoint: `${issuerUrl}/authorize`,
        token_endpoint: `${issuerUrl}/token`,
        jwks_uri: `${issuerUrl}/keys`,
        code_challenge_methods_supported: ["S256"],
      };
      return { status: 200, body: JSON.stringify({ ...metadata, ...state.metadata }) };
    }
    if (sent.path === "/keys") return { status: 200, body: JSON.stringify({ keys: [jwk] }) };
    if (sent.path === "/token") return token(sent);
    if (sent.path === "/me") {
      const isAllowed = sent.headers.get("authorization") === "Bearer access";
      return { status: isAllowed ? 200 : 401, body: userInfo };
    }
    return { status: 404, body: "" };
  };

  /** See `hostTransport`. */
  const localService = {
    fetch: async (_url: string, init?: RequestInit) => {
      const call = JSON.parse(init?.body as string) as {
        readonly path: string;
        readonly method: string;
        readonly headers: [string, string][];
        readonly body: string;
      };
      const { status, body } = await answer({
        method: call.method,
        path: call.path,
        headers: new Map(call.headers),
        form: new URLSearchParams(Buffer.from(call.body, "base64").toString()),
      });
      return Response.json({ id: "", status, headers: [], body: Buffer.from(body).toString("base64") });
    },
  };
  return { received, state, approve, localService };
}
