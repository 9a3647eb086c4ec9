// Where in the console one is: `#/` or `#/sandboxes/{id}`. In the fragment, so that the service serves one page.
import { signal } from "@preact/signals";

export type Route = { readonly page: "sandboxes" } | { readonly page: "sandbox"; readonly id: string };

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
  const id = /^#\/sandboxes\/([a-z0-9]+)$/.exec(hash)?.[1];
  return id ? { page: "sandbox", id } : { page: "sandboxes" };
}
