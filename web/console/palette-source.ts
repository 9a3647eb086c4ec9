// The console's pages and sandboxes in the palette.
import { signal } from "@preact/signals";
import type { Sandbox } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import type { Entry, Source } from "../palette/entries.ts";
import { texts } from "../messages/palette.ts";
import { readablePages } from "./pages.ts";
import { go, importPath, newSandboxPath, sandboxPath } from "./route.ts";

export function consoleSource(control: Control): Source {
  const sandboxes = signal<readonly Sandbox[]>([]);
  return {
    entries: () => [...pageEntries(), ...sandboxes.value.map(sandboxEntry)],
    load: () => {
      if (!may("sandboxes:read")) return;
      control.list().then(
        (page) => void (sandboxes.value = page.sandboxes),
        // The page reports errors of the service itself.
        () => undefined,
      );
    },
  };
}

function pageEntries(): Entry[] {
  const pages = readablePages().flatMap(({ title, pages: some }) =>
    some.map(
      ({ page, text }): Entry => ({
        id: `page/${page}`,
        group: texts.pages,
        label: text,
        detail: title,
        run: () => go(`#/${page}`),
      }),
    ),
  );
  pages.push({
    id: "page/docs",
    group: texts.pages,
    label: texts.documentation,
    run: () => location.assign("/docs"),
  });
  if (!may("sandboxes:create")) return pages;
  return [
    ...pages,
    { id: "action/new", group: texts.actions, label: texts.newSandbox, run: () => go(newSandboxPath) },
    { id: "action/import", group: texts.actions, label: texts.importCluster, run: () => go(importPath) },
  ];
}

function sandboxEntry({ id, name }: Sandbox): Entry {
  return { id: `sandbox/${id}`, group: texts.sandboxes, label: name, detail: id, run: () => go(sandboxPath(id)) };
}
