// The credentials of a request to a sandbox: a bearer token and the client certificate. Browsers cannot set a header on a WebSocket, so the
// token may also be a subprotocol.
import { hasNameWith } from "../../shared/base/header-names.ts";
import { limits } from "../../shared/base/limits.ts";
import { internalHeaders } from "../../shared/contract/cluster-object.ts";

const { prefix } = internalHeaders;
const subprotocolPrefix = "base64url.bearer.authorization.k8s.io.";

export interface Credentials {
  /** The token; undefined if the request has none. */
  readonly token: string | undefined;
  /** The certificate as base64 of DER. */
  readonly certificate: string | undefined;
  /**
   * A copy of the headers for the cluster, created on first use. The token is in `Authorization`, not in the subprotocols; the certificate
   * is the only internal header.
   */
  readonly headers: Headers;
  /** True if the client's headers equal those for the cluster, so the request can be forwarded unchanged. */
  readonly isAsSent: boolean;
}

/** The source of the client certificate: the platform (`cf`), or a header that a proxy sets and strips from clients' requests. */
export type CertificateSource = string;
const platform: CertificateSource = "cf";

/** Returns undefined if the token has a form that upstream rejects too. */
export function credentialsOf(request: Request, source?: CertificateSource): Credentials | undefined {
  const { headers: requestHeaders } = request;
  const protocols = requestHeaders.get("sec-websocket-protocol");
  const { tokens, otherProtocols } = protocols === null ? noProtocols : subprotocols(protocols);
  const certificate = source ? certificateOf(request, source) : undefined;
  const authorization = requestHeaders.get("authorization");
  const bearer = bearerIn(authorization);
  const token =
    bearer === undefined && isUpgrade(request) && tokens.length > 0 ? onlyToken(tokens, otherProtocols) : bearer;
  if (token === "") return undefined;
  const tokenHeader = token === undefined ? null : `Bearer ${token}`;
  const isAsSent =
    protocols === null &&
    certificate === undefined &&
    authorization === tokenHeader &&
    !hasNameWith(prefix, requestHeaders);
  let clusterHeaders: Headers | undefined;
  const make = () => {
    const headers = new Headers(requestHeaders);
    for (const name of requestHeaders.keys()) if (name.startsWith(prefix)) headers.delete(name);
    put(headers, "sec-websocket-protocol", otherProtocols.join(", ") || null);
    put(headers, "authorization", tokenHeader);
    if (certificate) headers.set(internalHeaders.certificate, certificate);
    return headers;
  };
  return {
    token,
    certificate,
    isAsSent,
    get headers() {
      return (clusterHeaders ??= make());
    },
  };
}

/** Sets a header; null removes it. */
function put(headers: Headers, name: string, value: string | null): void {
  if (value === null) headers.delete(name);
  else headers.set(name, value);
}

export function isUpgrade(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/** Returns the token of the header. A header of another form carries none, as upstream. */
export function bearerOf({ headers }: Request): string | undefined {
  return bearerIn(headers.get("authorization"));
}

function bearerIn(authorization: string | null): string | undefined {
  const [scheme, token] = (authorization ?? "").trim().split(" ", 2);
  return scheme?.toLowerCase() === "bearer" && token ? token : undefined;
}

/** Returns the client certificate. TLS has verified the client's key; the cluster verifies the issuer. */
function certificateOf(request: Request, source: CertificateSource): string | undefined {
  const encoded = source === platform ? platformsCertificate(request) : request.headers.get(source);
  if (typeof encoded !== "string" || encoded.length > limits.clientCertificateCharacters) return undefined;
  // RFC 9440 puts the bytes between colons; some proxies send them without.
  return /^:?([A-Za-z0-9+/]+={0,2}):?$/.exec(encoded.trim())?.[1];
}

function platformsCertificate({ cf }: Request): unknown {
  const client: unknown = cf?.tlsClientAuth;
  return typeof client === "object" && client !== null && "certRFC9440" in client ? client.certRFC9440 : undefined;
}

/**
 * Returns the only token. Upstream requires exactly one token, and another protocol that the response can select. Returns empty otherwise.
 */
function onlyToken(tokens: readonly string[], otherProtocols: readonly string[]): string {
  const [only = ""] = tokens;
  return tokens.length === 1 && otherProtocols.length > 0 ? decode(only.slice(subprotocolPrefix.length)) : "";
}

const noProtocols = { tokens: [], otherProtocols: [] };

function subprotocols(header: string): { tokens: string[]; otherProtocols: string[] } {
  const all = header
    .split(",")
    .map((protocol) => protocol.trim())
    .filter(Boolean);
  const isToken = (protocol: string) => protocol.startsWith(subprotocolPrefix);
  return { tokens: all.filter(isToken), otherProtocols: all.filter((protocol) => !isToken(protocol)) };
}

/** Returns empty for bytes that no header can contain. */
function decode(base64url: string): string {
  try {
    const token = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
    return /^[\x21-\x7e]*$/.test(token) ? token : "";
  } catch {
    return "";
  }
}
