// Where in the console one is: `#/`, `#/sandboxes/{id}`, `#/templates/{name}`, `#/usage?by=day`, … In the fragment, so that the service
// serves one page. What of a sandbox is opened stands behind a `?` there: see `web/live/place.ts`.
import { signal } from "@preact/signals";

/** Pages that say themselves what the rest of their path means. */
const own = [
  "lessons",
  "lti",
  "templates",
  "usage",
  "limits",
  "webhooks",
  "audit",
  "keys",
  "publishable-keys",
  "members",
  "organisation",
  "account",
] as const;
/** The same, of those that one need not have signed in for. */
const open = ["admin", "api", "trial"] as const;

export type OwnPage = (typeof own)[number];
export type OpenPage = (typeof open)[number];

interface Place {
  /** What follows the page's name, decoded. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export type Route =
  /** `isMaking`: the form for a new one is open. */
  | { readonly page: "sandboxes"; readonly isMaking: boolean }
  | { readonly page: "sandbox"; readonly id: string }
  | ({ readonly page: OwnPage } & Place)
  | ({ readonly page: OpenPage } & Place)
  /** With the code of an invitation. */
  | { readonly page: "join"; readonly code: string }
  /** With what stands in the link that a local service printed. */
  | { readonly page: "link"; readonly secret: string }
  /** After signing in elsewhere has failed: the code of why. */
  | { readonly page: "sign-in"; readonly error: string };

export const route = signal(parse(location.hash));

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

export function sandboxPath(id: string): string {
  return `#/sandboxes/${id}`;
}

/** `pathTo("templates", "shop@2")`; empty values of the query are left out. */
export function pathTo(page: OwnPage | OpenPage, parts: readonly string[] = [], query: object = {}): string {
  const given = Object.entries(query).filter((one): one is [string, string] => Boolean(one[1]));
  const asked = given.length > 0 ? `?${new URLSearchParams(given).toString()}` : "";
  return `#/${[page, ...parts.map(encodeURIComponent)].join("/")}${asked}`;
}

/** Where a new sandbox is made. */
export const newSandboxPath = "#/new";

export function go(path: string): void {
  location.hash = path;
}

/** The same page with another query: no further step of the browser's history. */
export function become(path: string): void {
  history.replaceState(null, "", path);
  route.value = parse(location.hash);
}

function parse(hash: string): Route {
  const [path = "", asked = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name = "", ...parts] = path.split("/").map(decoded);
  const place = { parts, query: new URLSearchParams(asked) };
  const [first = ""] = parts;
  const page = own.find((one) => one === name) ?? open.find((one) => one === name);
  if (page) return { page, ...place };
  if (name === "sandboxes" && first) return { page: "sandbox", id: first };
  if (name === "join" && first) return { page: "join", code: first };
  if (name === "link" && first) return { page: "link", secret: first };
  if (name === "sign-in") return { page: "sign-in", error: first };
  return { page: "sandboxes", isMaking: name === "new" };
}

/** What is wrongly encoded stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
