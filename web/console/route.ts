// The route of the console, in the fragment because the service serves one page: `#/`, `#/sandboxes/{id}`, `#/templates/{name}`,
// `#/usage?by=day`.
// The query of a sandbox's route says which object is open: see `web/live/place.ts`.
import { signal } from "@preact/signals";

/** Pages that interpret the rest of their path themselves. */
const signedInPages = [
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
  "sign-on",
  "organisation",
  "account",
] as const;
/** Pages of the same form that need no sign-in. */
const open = ["admin", "api", "trial"] as const;

export type OwnPage = (typeof signedInPages)[number];
export type OpenPage = (typeof open)[number];

interface Place {
  /** The decoded path segments after the page's name. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** The form over the list of sandboxes that creates one. */
export type CreationDialog = "new" | "import";

export type Route =
  | { readonly page: "sandboxes"; readonly dialog: CreationDialog | undefined; readonly query: URLSearchParams }
  | { readonly page: "sandbox"; readonly id: string }
  | ({ readonly page: OwnPage } & Place)
  | ({ readonly page: OpenPage } & Place)
  /** The link of an invitation, with its code. */
  | { readonly page: "join"; readonly code: string }
  /** The link that a local service printed, with its secret. */
  | { readonly page: "link"; readonly secret: string }
  /** The page after a failed sign-in elsewhere, with the error code. */
  | { readonly page: "sign-in"; readonly error: string };

export const route = signal(parse(location.hash));

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

export function sandboxPath(id: string): string {
  return `#/sandboxes/${id}`;
}

/** Returns the path of a page: `pathTo("templates", "shop@2")`. Empty query values are left out. */
export function pathTo(page: OwnPage | OpenPage, segments: readonly string[] = [], query: object = {}): string {
  const filled = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const queryText = filled.length > 0 ? `?${new URLSearchParams(filled).toString()}` : "";
  return `#/${[page, ...segments.map(encodeURIComponent)].join("/")}${queryText}`;
}

/** The paths of the forms that create a sandbox. */
export const newSandboxPath = "#/new";
export const importPath = "#/import";

export function go(path: string): void {
  location.hash = path;
}

/** Replaces the query of the same page without adding a step to the browser's history. */
export function become(path: string): void {
  history.replaceState(null, "", path);
  route.value = parse(location.hash);
}

function parse(hash: string): Route {
  const [path = "", queryText = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name = "", ...segments] = path.split("/").map(decoded);
  const place = { segments, query: new URLSearchParams(queryText) };
  const [first = ""] = segments;
  const page = signedInPages.find((pageName) => pageName === name) ?? open.find((pageName) => pageName === name);
  if (page) return { page, ...place };
  if (name === "sandboxes" && first) return { page: "sandbox", id: first };
  if (name === "join" && first) return { page: "join", code: first };
  if (name === "link" && first) return { page: "link", secret: first };
  if (name === "sign-in") return { page: "sign-in", error: first };
  return { page: "sandboxes", dialog: name === "new" || name === "import" ? name : undefined, query: place.query };
}

/** Decodes a path segment, or returns it unchanged if its encoding is invalid. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
