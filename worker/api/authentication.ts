// Who asks: a bearer token of the header, or (browsers) of the WebSocket subprotocol as upstream allows.
import { ApiError } from "../../shared/k8s/status.ts";
import type { Requester } from "../kinds/kind.ts";
import { authenticateAccount } from "./accounts/authenticate.ts";
import type { Identity, Service } from "./service.ts";

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

export function authenticate(service: Service, request: Request): Identity {
  const token = bearerToken(request.headers);
  const identity = token === undefined ? undefined : (service.authenticate(token) ?? accountIdentity(service, token));
  if (!identity) throw ApiError.unauthorized();
  return identity;
}

/** What every user that is known belongs to. */
export function withEveryone(user: Requester): Requester {
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}

function accountIdentity(service: Service, token: string): Identity | undefined {
  try {
    const account = authenticateAccount(service, token);
    return account && { user: withEveryone(account.user), readOnly: false };
  } catch (error) {
    // Why it is no good is not for strangers.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
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
