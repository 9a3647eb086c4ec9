// The bearer token of a request for a sandbox: in a header, or, as browsers cannot set one on a WebSocket, as a subprotocol.
import { internalHeaders } from "../../shared/contract/cluster-object.ts";

const subprotocolPrefix = "base64url.bearer.authorization.k8s.io.";

export interface Credentials {
  readonly token: string;
  /** The headers for the cluster: the token as `Authorization`, no token among the subprotocols, none of our internal headers. */
  readonly headers: Headers;
}

/** Nothing, if there is no token or it is given in a form that upstream refuses too. */
export function credentialsOf(request: Request): Credentials | undefined {
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (name.startsWith(internalHeaders.prefix)) headers.delete(name);
  const { token: fromProtocol, others } = subprotocols(headers.get("sec-websocket-protocol") ?? "");
  if (others.length > 0) headers.set("sec-websocket-protocol", others.join(", "));
  else headers.delete("sec-websocket-protocol");
  const token = bearerOf(request) ?? (isUpgrade(request) ? fromProtocol : undefined);
  if (!token) return undefined;
  headers.set("authorization", `Bearer ${token}`);
  return { token, headers };
}

export function isUpgrade(request: Request): boolean {
  return request.headers.get("upgrade")?.toLowerCase() === "websocket";
}

/** The token in the header. */
export function bearerOf({ headers }: Request): string | undefined {
  return /^bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** Upstream: exactly one token, and at least one other protocol that can be echoed in its place. */
function subprotocols(header: string): { token: string | undefined; others: string[] } {
  const all = header
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  const others = all.filter((one) => !one.startsWith(subprotocolPrefix));
  const tokens = all.filter((one) => one.startsWith(subprotocolPrefix));
  const [only] = tokens;
  const usable = only !== undefined && tokens.length === 1 && others.length > 0;
  return { token: usable ? decode(only.slice(subprotocolPrefix.length)) : undefined, others };
}

function decode(base64url: string): string | undefined {
  try {
    return atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}
