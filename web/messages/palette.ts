// The texts of the command palette.
import { ofReader } from "./language.ts";

const en = {
  title: "Search objects, pages and actions",
  hint: "Search objects, pages and actions",
  found: "Found",
  none: (query: string) => `Nothing is called "${query}". Try a name, a kind or an action such as "scale".`,
  enterKey: "Enter",
  escapeKey: "Esc",
  choose: "choose",
  run: "open or run",
  close: "close",
  pages: "Pages",
  documentation: "Documentation",
  sandboxes: "Sandboxes",
  sandbox: "This sandbox",
  kinds: "Kinds",
  objects: "Objects",
  actions: "Actions",
  newSandbox: "New sandbox",
  importCluster: "Import a cluster",
  newTerminal: "New terminal",
  action: (button: string, kind: string, name: string) => `${button} ${kind} ${name}`,
};

export const texts = ofReader({ en });
