// All keys of the console in one table, from which the help sheet is made.
import { messages } from "../messages.ts";
import type { PlaceName } from "../live/place.ts";

export type Goal = Partial<Record<PlaceName, string>>;

/** The destinations of the letters after `g`. */
export const goals: Readonly<Record<string, { readonly name: string; readonly to: Goal }>> = {
  o: { name: messages.tabs.overview, to: { tab: "" } },
  p: { name: messages.overview.pods, to: { tab: "objects", kind: "pods" } },
  d: { name: messages.overview.deployments, to: { tab: "objects", kind: "deployments.apps" } },
  s: { name: messages.overview.services, to: { tab: "objects", kind: "services" } },
  n: { name: messages.overview.nodes, to: { tab: "objects", kind: "nodes" } },
  c: { name: "ConfigMaps", to: { tab: "objects", kind: "configmaps" } },
  e: { name: messages.overview.events, to: { tab: "objects", kind: "events" } },
  j: { name: "Jobs", to: { tab: "objects", kind: "jobs.batch" } },
  t: { name: messages.tabs.topology, to: { tab: "topology" } },
  a: { name: messages.tabs.access, to: { tab: "access" } },
  h: { name: messages.tabs.history, to: { tab: "history" } },
  z: { name: messages.tabs.snapshots, to: { tab: "snapshots" } },
};

export interface KeyLine {
  /** The keys, separated by spaces; `+` joins those that are pressed together. */
  readonly keys: string;
  readonly means: string;
}

export type KeyGroup = keyof typeof messages.keys.groups;

const { means } = messages.keys;

export const keyTable: Readonly<Record<KeyGroup, readonly KeyLine[]>> = {
  everywhere: [
    { keys: "Ctrl+K", means: means.palette },
    { keys: "Ctrl+J", means: means.dock },
    { keys: "?", means: means.help },
    { keys: "/", means: means.search },
    { keys: "Esc", means: means.close },
  ],
  rows: [
    { keys: "j ↓", means: means.next },
    { keys: "k ↑", means: means.previous },
    { keys: "Home End", means: means.ends },
    { keys: "Enter", means: means.open },
    { keys: "x", means: means.select },
    { keys: "Ctrl+A", means: means.selectAll },
    { keys: "← →", means: means.fold },
  ],
  object: [
    { keys: "e", means: means.edit },
    { keys: "l", means: means.logs },
    { keys: "s", means: means.shell },
  ],
  terminal: [{ keys: "Esc Tab", means: means.leave }],
  go: Object.entries(goals).map(([letter, { name }]) => ({ keys: `g ${letter}`, means: messages.keys.of(name) })),
};
