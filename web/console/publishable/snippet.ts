// What is pasted into a page for the clusters of a publishable key.
import type { PublishableKey } from "../../../shared/contract/hosted/publishable-key.ts";

type Offers = Pick<PublishableKey, "key" | "templates" | "lessons">;

/** The script, and an element for all that the key offers. `service`: the service's origin. */
export function scriptSnippet(service: string, { key, templates, lessons }: Offers): string {
  const elements = [
    ...templates.map((ref) => `<sandbar-cluster template="${ref}"></sandbar-cluster>`),
    ...lessons.map((name) => `<sandbar-lesson id="${name}"></sandbar-lesson>`),
  ];
  return [`<script type="module" src="${service}/embed.js?key=${key}"></script>`, "", ...elements].join("\n");
}

/** An `iframe` for the first origin. */
export function frameSnippet(service: string, { key, templates, lessons }: Offers, title: string): string {
  const [template] = templates;
  const query = new URLSearchParams(template === undefined ? [["lesson", lessons[0] ?? ""]] : [["template", template]]);
  const address = `${service}/embed/${key}?${query.toString()}`;
  return `<iframe src="${address}" referrerpolicy="origin"\n        width="800" height="480" style="border: 0" title="${title}"></iframe>`;
}
