// The way to the console's pages: to those that whoever has signed in may read.
import type { Scope } from "../../shared/contract/scope.ts";
import { may } from "../api/session.ts";
import type { Route } from "./route.ts";

const links: readonly (readonly [page: Route["page"], text: string, scope?: Scope])[] = [
  ["sandboxes", "Sandboxes", "sandboxes:read"],
  ["lessons", "Lessons", "lessons:read"],
  ["lti", "Learning platforms", "lti:read"],
  ["templates", "Templates", "templates:read"],
  ["usage", "Usage", "usage:read"],
  ["limits", "Limits", "usage:read"],
  ["webhooks", "Webhooks", "webhooks:read"],
  ["members", "Members", "members:read"],
  ["organisation", "Organisation", "tenant:read"],
  ["keys", "API keys", "keys:read"],
  ["publishable-keys", "Publishable keys", "keys:read"],
  ["audit", "Audit", "audit:read"],
  ["api", "API reference"],
];

export function Nav({ page }: { readonly page: Route["page"] }) {
  const current = page === "sandbox" ? "sandboxes" : page;
  return (
    <nav class="pages" aria-label="Pages">
      {links
        .filter(([, , scope]) => scope === undefined || may(scope))
        .map(([name, text]) => (
          <a key={name} href={`#/${name}`} aria-current={name === current ? "page" : undefined}>
            {text}
          </a>
        ))}
    </nav>
  );
}
