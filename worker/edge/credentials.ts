// What a request for a sandbox shows: a bearer token, in a header or (browsers cannot set one on a WebSocket) as a subprotocol, and the
// client's certificate, where the edge is told of it.
import { hasNameWith } from "../../shared/base/header-names.ts";
import { limits } from "../../shared/base/limits.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";

const { prefix } = internalHeaders;
const subprotocolPrefix = "base64url.bearer.authorization.k8s.io.";

export interface Credentials {
  /** Absent: none was sent. */
  readonly token: string | undefined;
  /** DER as base64. */
  readonly certificate: string | undefined;
  /**
   * The headers for the cluster: the token as `Authorization`, no token among the subprotocols, and of our internal headers the
   * certificate alone. A copy, made when it is asked for.
   */
  readonly headers: Headers;
  /** The client's own headers are just these: the request can go on as it is. */
  readonly isAsSent: boolean;
}

/** Where the client's certificate is told: by the platform (`cf`), or in a header that a proxy sets and takes off what clients send. */
export type CertificateSource = string;
const platform: CertificateSource = "cf";

/** Nothing, if a token is given in a form that upstream refuses too. */
export function credentialsOf(request: Request, source?: CertificateSource): Credentials | undefined {
  const { headers: given } = request;
  const protocols = given.get("sec-websocket-protocol");
  const { tokens, others } = subprotocols(protocols ?? "");
  const certificate = source ? certificateOf(request, source) : undefined;
  const authorization = given.get("authorization");
  const bearer = bearerIn(authorization);
  const token = bearer === undefined && isUpgrade(request) && tokens.length > 0 ? onlyToken(tokens, others) : bearer;
  if (token === "") return undefined;
  const wanted = token === undefined ? null : `Bearer ${token}`;
  const isAsSent =
    protocols === null && certificate === undefined && authorization === wanted && !hasNameWith(prefix, given);
  let made: Headers | undefined;
  const make = () => {
    const headers = new Headers(given);
    for (const name of given.keys()) if (name.startsWith(prefix)) headers.delete(name);
    put(headers, "sec-websocket-protocol", others.join(", ") || null);
    put(headers, "authorization", wanted);
    if (certificate) headers.set(internalHeaders.certificate, certificate);
    return headers;
  };
  return {
    token,
    certificate,
    isAsSent,
    get headers() {
      return (made ??= make());
    },
  };
}

/** Null: it is taken away. */
function put(headers: Headers, name: string, value: string | null): void {
  if (value === null) headers.delete(name);
  else headers.set(name, value);
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
