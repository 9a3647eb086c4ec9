// Parses the search: words, labels as `app=web`, and states as `is:bad`. All must match. Independent of the page.
import type { Tone } from "../../live/status.ts";
import type { Row } from "./rows.ts";

/** The states of queries with their tones. */
export const states = {
  bad: ["bad"],
  busy: ["busy"],
  fine: ["ok", "idle"],
} as const satisfies Readonly<Record<string, readonly Tone[]>>;

export type State = keyof typeof states;

type Test = (row: Row) => boolean;

export function matching(rows: readonly Row[], query: string, namespace: string): readonly Row[] {
  const tests = query.split(/\s+/).filter(Boolean).map(testOf);
  if (namespace) tests.push((row) => row.namespace === namespace || row.namespace === "");
  return tests.length === 0 ? rows : rows.filter((row) => tests.every((holds) => holds(row)));
}

/** Returns the state in a query, or an empty string if it has none. */
export function stateIn(query: string): State | "" {
  const stateName = /(?:^|\s)is:(\S+)/.exec(query)?.[1] ?? "";
  return isState(stateName) ? stateName : "";
}

export function withState(query: string, state: State | ""): string {
  const rest = query.split(/\s+/).filter((word) => word && !word.startsWith("is:"));
  return [...rest, ...(state ? [`is:${state}`] : [])].join(" ");
}

function testOf(word: string): Test {
  const state = /^is:(.+)$/.exec(word)?.[1] ?? "";
  if (isState(state)) {
    const tones: readonly Tone[] = states[state];
    return ({ tone }) => tone !== undefined && tones.includes(tone);
  }
  const label = /^([\w./-]+)(!=|==?)([\w.-]*)$/.exec(word);
  if (label) {
    const [, key = "", operator, value] = label;
    return operator === "!=" ? ({ labels }) => labels[key] !== value : ({ labels }) => labels[key] === value;
  }
  const text = word.toLowerCase();
  return (row) => row.text.includes(text);
}

function isState(text: string): text is State {
  return Object.hasOwn(states, text);
}
