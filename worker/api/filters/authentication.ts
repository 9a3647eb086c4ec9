// Authenticates requests by a client certificate that the edge verified, or by a bearer token in the header or (for browsers) in the
// WebSocket subprotocol. Other requests are anonymous, if the sandbox allows it.
import { type MaybePromise, whenThere } from "../maybe-promise.ts";
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { authenticateToken, type Bearer } from "../authentication/bearer.ts";
import { anonymous, withEveryone } from "../authentication/everyone.ts";
import type { Identity, ApiServer } from "../api-server.ts";
import type { Filter } from "./filter.ts";

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

/** The credential of client certificates. Everything opened with certificates ends when they are revoked, all at once. */
export const certificateCredential = "certificate";

export const withAuthentication: Filter = (next) => (context) =>
  whenThere(authenticate(context.server, context.request), (sender) => {
    context.sender = sender;
    return next(context);
  });

/** Returns the identity of the sender: at once if the cluster itself issued the credential. Throws 401, or rejects with it. */
export function authenticate(server: ApiServer, request: Request): MaybePromise<Identity> {
  const certificate = request.headers.get(internalHeaders.certificate);
  const holder = certificate === null ? undefined : server.holderOf?.(certificate);
  if (holder) return { user: withEveryone(holder), credential: { id: certificateCredential }, readOnly: false };
  const token = bearerToken(request.headers);
  if (token !== undefined) return tokenIdentity(server, token);
  // Invalid credentials are not treated as anonymous.
  const letsAnonymous = server.letsAnonymous && server.registry.apiServer?.allowsAnonymous() !== false;
  if (certificate === null && letsAnonymous) return { user: anonymous, readOnly: false };
  throw ApiError.unauthorized();
}

function tokenIdentity(server: ApiServer, token: string): MaybePromise<Identity> {
  try {
    const bearer = authenticateToken(server, token);
    return bearer instanceof Promise ? bearer.then(accepted).catch(hideReason) : accepted(bearer);
  } catch (error) {
    return hideReason(error);
  }
}

function accepted(bearer: Bearer | undefined): Identity {
  if (!bearer) throw ApiError.unauthorized();
  return bearer.identity;
}

/** Throws an error without its reason, which is not disclosed to unauthenticated clients. */
function hideReason(error: unknown): never {
  throw error instanceof ApiError ? ApiError.unauthorized() : error;
}

function bearerToken(headers: Headers): string | undefined {
  const [scheme, token] = (headers.get("authorization") ?? "").trim().split(" ");
  if (scheme?.toLowerCase() === "bearer" && token) return token;
  const protocols = (headers.get("sec-websocket-protocol") ?? "").split(",").map((protocol) => protocol.trim());
  const encoded = protocols.find((protocol) => protocol.startsWith(protocolPrefix))?.slice(protocolPrefix.length);
  return encoded ? decodeBase64Url(encoded) : undefined;
}

function decodeBase64Url(text: string): string | undefined {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}
