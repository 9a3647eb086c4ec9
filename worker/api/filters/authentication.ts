// Authenticates requests by a client certificate that the edge verified, or by a bearer token in the header or (for browsers) in the
// WebSocket subprotocol. Other requests are anonymous, if the sandbox allows it.
import { internalHeaders } from "../../../shared/contract/cluster-object.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { authenticateToken } from "../authentication/bearer.ts";
import { anonymous, withEveryone } from "../authentication/everyone.ts";
import type { Identity, ApiServer } from "../api-server.ts";
import type { Filter } from "./filter.ts";

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

/** The credential of client certificates. Everything opened with certificates ends when they are revoked, all at once. */
export const certificateCredential = "certificate";

export const withAuthentication: Filter = (next) => async (context) => {
  context.sender = await authenticate(context.server, context.request);
  return next(context);
};

export async function authenticate(server: ApiServer, request: Request): Promise<Identity> {
  const certificate = request.headers.get(internalHeaders.certificate);
  const holder = certificate === null ? undefined : server.holderOf?.(certificate);
  if (holder) return { user: withEveryone(holder), credential: { id: certificateCredential }, readOnly: false };
  const token = bearerToken(request.headers);
  const tokenResult = token === undefined ? undefined : await tokenIdentity(server, token);
  if (tokenResult) return tokenResult;
  // Invalid credentials are not treated as anonymous.
  if (token === undefined && certificate === null && server.letsAnonymous) return { user: anonymous, readOnly: false };
  throw ApiError.unauthorized();
}

async function tokenIdentity(server: ApiServer, token: string): Promise<Identity | undefined> {
  try {
    return (await authenticateToken(server, token))?.identity;
  } catch (error) {
    // The reason is not disclosed to unauthenticated clients.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
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
