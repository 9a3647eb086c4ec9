// The requests of a node's tools to the API server. A command on a node is computed anew whenever its session goes on, so it writes a file,
// and a controller does what the file says once.
import type { Edit } from "../shell/files.ts";

export const requestFolder = "/run/kubernetes/requests";
/** The number of requests that are handled at a time, and the characters of one. */
const mostRequests = 20;
const mostCharacters = 10_000;

export interface TokenRequest {
  readonly kind: "create-token";
  readonly id: string;
  readonly secret: string;
  readonly description: string;
  readonly usages: readonly string[];
  readonly groups: readonly string[];
  /** Undefined: the token does not expire. */
  readonly expiresMs?: number;
}

export type NodeRequest =
  | TokenRequest
  | { readonly kind: "delete-token"; readonly id: string }
  | { readonly kind: "set-version"; readonly version: string };

/** Returns the requests among the edits of a node that were not handled yet. */
export function pendingRequests(edits: readonly Edit[]): ReadonlyMap<string, NodeRequest> {
  const pending = new Map<string, NodeRequest>();
  for (const { path, text, removed } of edits) {
    if (!path.startsWith(`${requestFolder}/`)) continue;
    const request = removed || text === undefined ? undefined : readRequest(text);
    if (request && pending.size < mostRequests) pending.set(path, request);
    else pending.delete(path);
  }
  return pending;
}

/** A stranger can write the file. */
export function readRequest(text: string): NodeRequest | undefined {
  if (text.length > mostCharacters) return undefined;
  let value: Partial<Record<string, unknown>> | null;
  try {
    value = JSON.parse(text) as typeof value;
  } catch {
    return undefined;
  }
  const { kind, id, secret, description, usages, groups, expiresMs, version } = value ?? {};
  const isId = typeof id === "string" && /^[a-z0-9]{6}$/.test(id);
  if (kind === "delete-token" && isId) return { kind, id };
  if (kind === "set-version" && typeof version === "string" && /^v1\.\d{1,3}\.\d{1,3}$/.test(version))
    return { kind, version };
  if (kind !== "create-token" || !isId || typeof secret !== "string" || !/^[a-z0-9]{16}$/.test(secret))
    return undefined;
  return {
    kind,
    id,
    secret,
    description: typeof description === "string" ? description : "",
    usages: textsIn(usages),
    groups: textsIn(groups),
    ...(typeof expiresMs === "number" ? { expiresMs } : {}),
  };
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}
