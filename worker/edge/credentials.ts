// What a request for a sandbox shows: a bearer token, in a header or (browsers cannot set one on a WebSocket) as a subprotocol, and the
// client's certificate, where the edge is told of it.
import { limits } from "../../shared/base/limits.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";

const subprotocolPrefix = "base64url.bearer.authorization.k8s.io.";

export interface Credentials {
  /** Absent: none was sent. */
  readonly token: string | undefined;
  /** DER as base64. */
  readonly certificate: string | undefined;
  /**
   * The headers for the cluster: the token as `Authorization`, no token among the subprotocols, and of our internal headers the
   * certificate alone.
   */
  readonly headers: Headers;
}

/** Where the client's certificate is told: by the platform (`cf`), or in a header that a proxy sets and takes off what clients send. */
export type CertificateSource = string;
const platform: CertificateSource = "cf";

/** Nothing, if a token is given in a form that upstream refuses too. */
export function credentialsOf(request: Request, source?: CertificateSource): Credentials | undefined {
  const headers = new Headers(request.headers);
  // What is not there is not taken away: each look at headers is a call of the platform.
  for (const name of request.headers.keys()) if (name.startsWith(internalHeaders.prefix)) headers.delete(name);
  const given = request.headers.get("sec-websocket-protocol");
  const { tokens, others } = subprotocols(given ?? "");
  if (others.length > 0) headers.set("sec-websocket-protocol", others.join(", "));
  else if (given !== null) headers.delete("sec-websocket-protocol");
  const certificate = source ? certificateOf(request, source) : undefined;
  if (certificate) headers.set(internalHeaders.certificate, certificate);
  const authorization = request.headers.get("authorization");
  const bearer = bearerIn(authorization);
  const shown = bearer === undefined && isUpgrade(request) && tokens.length > 0 ? onlyToken(tokens, others) : bearer;
  if (shown === "") return undefined;
  if (shown !== undefined && authorization !== `Bearer ${shown}`) headers.set("authorization", `Bearer ${shown}`);
  else if (shown === undefined && authorization !== null) headers.delete("authorization");
  return { token: shown, certificate, headers };
}

export function isUpgrade(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/** The token in the header; what has another form is none, as upstream has it. */
export function bearerOf({ headers }: Request): string | undefined {
  return bearerIn(headers.get("authorization"));
}

function bearerIn(authorization: string | null): string | undefined {
  const [scheme, token] = (authorization ?? "").trim().split(" ", 2);
  return scheme?.toLowerCase() === "bearer" && token ? token : undefined;
}

/** TLS has proved that the client has its key; who signed it is for the cluster to check. */
function certificateOf(request: Request, source: CertificateSource): string | undefined {
  const given = source === platform ? platformsCertificate(request) : request.headers.get(source);
  if (typeof given !== "string" || given.length > limits.clientCertificateCharacters) return undefined;
  // A byte sequence of structured fields stands between colons (RFC 9440); others send it bare.
  return /^:?([A-Za-z0-9+/]+={0,2}):?$/.exec(given.trim())?.[1];
}

function platformsCertificate({ cf }: Request): unknown {
  const client: unknown = cf?.tlsClientAuth;
  return typeof client === "object" && client !== null && "certRFC9440" in client ? client.certRFC9440 : undefined;
}

/** Upstream: exactly one token, and at least one other protocol that can be echoed in its place. Empty: refused. */
function onlyToken(tokens: readonly string[], others: readonly string[]): string {
  const [only = ""] = tokens;
  return tokens.length === 1 && others.length > 0 ? decode(only.slice(subprotocolPrefix.length)) : "";
}

function subprotocols(header: string): { tokens: string[]; others: string[] } {
  const all = header
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  const isToken = (one: string) => one.startsWith(subprotocolPrefix);
  return { tokens: all.filter(isToken), others: all.filter((one) => !isToken(one)) };
}

/** Empty for what could stand in no header. */
function decode(base64url: string): string {
  try {
    const token = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
    return /^[\x21-\x7e]*$/.test(token) ? token : "";
  } catch {
    return "";
  }
}
