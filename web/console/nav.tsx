// The way to the console's pages: to those that whoever has signed in may read.
import { useEffect, useRef } from "preact/hooks";
import type { Scope } from "../../shared/contract/scope.ts";
import { may } from "../api/session.ts";
import type { Route } from "./route.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.nav;

const links: readonly (readonly [page: Route["page"], text: string, scope?: Scope])[] = [
  ["sandboxes", texts.sandboxes, "sandboxes:read"],
  ["lessons", texts.lessons, "lessons:read"],
  ["lti", texts.learningPlatforms, "lti:read"],
  ["templates", texts.templates, "templates:read"],
  ["usage", texts.usage, "usage:read"],
  ["limits", texts.limits, "usage:read"],
  ["webhooks", texts.webhooks, "webhooks:read"],
  ["members", texts.members, "members:read"],
  ["organisation", texts.organisation, "tenant:read"],
  ["keys", texts.apiKeys, "keys:read"],
  ["publishable-keys", texts.publishableKeys, "keys:read"],
  ["audit", texts.audit, "audit:read"],
  ["api", texts.apiReference],
];

export function Nav({ page }: { readonly page: Route["page"] }) {
  const current = page === "sandbox" ? "sandboxes" : page;
  const strip = useRef<HTMLElement>(null);
  // On a narrow screen the links are one line, which is moved.
  useEffect(() => {
    const at = strip.current?.querySelector("[aria-current]");
    if (at instanceof HTMLElement && strip.current) strip.current.scrollLeft = at.offsetLeft - strip.current.offsetLeft;
  }, [current]);
  return (
    <nav class="pages" aria-label={texts.pages} ref={strip}>
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
