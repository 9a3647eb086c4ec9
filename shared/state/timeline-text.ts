// Formats a timeline as a tree of causes and effects, in the order of time.
import type { TimelineEntry } from "../contract/cluster/past.ts";

/** The number of indented levels. Deeper entries have the same indentation. */
const mostDepth = 12;

/** Renders a line for each entry, below the entry that caused it. */
export function timelineText(entries: readonly TimelineEntry[]): string {
  const revisions = new Set(entries.map(({ revision }) => revision));
  const effects = new Map<number, TimelineEntry[]>();
  const roots: TimelineEntry[] = [];
  for (const entry of entries) {
    const { causedBy } = entry;
    if (causedBy === undefined || causedBy >= entry.revision || !revisions.has(causedBy)) roots.push(entry);
    else effects.set(causedBy, [...(effects.get(causedBy) ?? []), entry]);
  }
  const lines: string[] = [];
  const waiting = roots.reverse().map((entry) => ({ entry, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, depth } = next;
    lines.push(lineOf(entry, depth));
    for (const effect of (effects.get(entry.revision) ?? []).reverse())
      waiting.push({ entry: effect, depth: depth + 1 });
  }
  return lines.map((line) => `${line}\n`).join("");
}

function lineOf(entry: TimelineEntry, depth: number): string {
  const { at = "", revision, change, resource, namespace, name, summary, subresource } = entry;
  const indent = depth === 0 ? "" : `${"  ".repeat(Math.min(depth, mostDepth) - 1)}└ `;
  const object = `${resource}${subresource ? `/${subresource}` : ""} ${namespace ? `${namespace}/` : ""}${name}`;
  const text = `${indent}${actorOf(entry)} ${change} ${object}${summary === "" ? "" : `: ${summary}`}`;
  return `${at.slice(0, 23).padEnd(23)}  ${String(revision).padStart(6)}  ${text}`;
}

/** Returns the user with the verb of the request, or the controller's short name. */
function actorOf({ user, origin, auditId }: TimelineEntry): string {
  if (auditId !== undefined) return `${user} (${origin})`;
  return origin.includes(":") ? origin.slice(0, origin.indexOf(":")) : user;
}
