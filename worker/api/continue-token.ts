// Where a paged list goes on: upstream's token, base64url of JSON with the revision and the last key.
import { ApiError } from "../../shared/k8s/status.ts";

export interface Continuation {
  /** -1: whatever is newest (an inconsistent continuation, given out when the list's own revision is compacted). */
  readonly revision: number;
  readonly after: { readonly namespace: string; readonly name: string };
}

const version = "meta.k8s.io/v1";

export function encodeContinue({ revision, after }: Continuation): string {
  const json = JSON.stringify({ v: version, rv: revision, start: `${after.namespace}/${after.name}` });
  return btoa(json).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export function decodeContinue(token: string): Continuation {
  try {
    const json: unknown = JSON.parse(atob(token.replaceAll("-", "+").replaceAll("_", "/")));
    const { v, rv, start } = json as { v?: unknown; rv?: unknown; start?: unknown };
    if (v === version && typeof rv === "number" && typeof start === "string" && start.includes("/")) {
      const at = start.indexOf("/");
      return { revision: rv, after: { namespace: start.slice(0, at), name: start.slice(at + 1) } };
    }
  } catch {
    // Falls through to the one answer for all that is not a token of ours.
  }
  throw ApiError.badRequest("continue key is not valid: encoding error");
}
