// Where in the console one is: `#/`, `#/sandboxes/{id}`, `#/members`, … In the fragment, so that the service serves one page. What of a
// sandbox is opened stands behind a `?` there: see `web/live/place.ts`.
import { signal } from "@preact/signals";

export type Route =
  | { readonly page: "sandboxes" | "members" | "keys" | "account" }
  | { readonly page: "sandbox"; readonly id: string }
  /** With the code of an invitation. */
  | { readonly page: "join"; readonly code: string }
  /** After signing in elsewhere has failed: the code of why. */
  | { readonly page: "sign-in"; readonly error: string };

export const route = signal(parse(location.hash));

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

export function sandboxPath(id: string): string {
  return `#/sandboxes/${id}`;
}

export function go(path: string): void {
  location.hash = path;
}

function parse(hash: string): Route {
  const [, page = "", rest = ""] = /^#\/([a-z-]+)(?:\/([a-z0-9_]+))?(?:\?.*)?$/.exec(hash) ?? [];
  if (page === "members" || page === "keys" || page === "account") return { page };
  if (page === "sandboxes" && rest) return { page: "sandbox", id: rest };
  if (page === "join" && rest) return { page, code: rest };
  return page === "sign-in" ? { page, error: rest } : { page: "sandboxes" };
}
