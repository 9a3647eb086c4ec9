// Who asks: a bearer token of the header, or (browsers) of the WebSocket subprotocol as upstream allows.
import { ApiError } from "../../shared/k8s/status.ts";
import type { Identity, Service } from "./service.ts";

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

export function authenticate(service: Service, request: Request): Identity {
  const token = bearerToken(request.headers);
  const identity = token === undefined ? undefined : service.authenticate(token);
  if (!identity) throw ApiError.unauthorized();
  return identity;
}

export function bearerToken(headers: Headers): string | undefined {
  const [scheme, token] = (headers.get("authorization") ?? "").trim().split(/\s+/);
  if (scheme?.toLowerCase() === "bearer" && token) return token;
  const protocols = (headers.get("sec-websocket-protocol") ?? "").split(",").map((one) => one.trim());
  const encoded = protocols.find((one) => one.startsWith(protocolPrefix))?.slice(protocolPrefix.length);
  return encoded ? decodeBase64Url(encoded) : undefined;
}

function decodeBase64Url(text: string): string | undefined {
  try {
    return atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
}
