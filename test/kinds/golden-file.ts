// The golden file of a kind: its cases by name, each telling only what differs from another.
//
//   minimal:                            every file's first case
//     object: { ... }                   what is created, in full
//     becomes: { spec.replicas: 1 }     by path, where what is stored differs from it
//     row: { ... }                      what `kubectl get -o wide` prints
//   a case of another one:
//     from: minimal                     the case it differs from; `minimal` where none is named
//     with: { spec.replicas: 3 }        by path, what is created differently
//     without: [spec.selector]          and what of it is left out
//     stored: { services: [ ... ] }     objects that are there before, by resource; those of `from` where nothing is said
//     change: { spec: { ... } }         a merge patch that an update then makes of it
//     subresource: status               where the update goes
//     becomes, loses, row, warnings     where the outcome differs from that of `from` with the same `with` and `change`
//     refused: [ ... ]                  or why it is refused
import { type Document, isCollection, isMap, isPair, parse, parseDocument, type Node as YamlNode } from "yaml";
import { mergePatch } from "../../shared/schema/merge-patch.ts";
import { difference, withDifference } from "./difference.ts";
import type { GoldenInput, GoldenOutput } from "./golden.ts";

export interface GoldenCase {
  readonly from?: string;
  readonly object?: unknown;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly without?: readonly string[];
  readonly stored?: GoldenInput["stored"];
  readonly change?: unknown;
  readonly subresource?: string;
  readonly becomes?: Readonly<Record<string, unknown>>;
  readonly loses?: readonly string[];
  readonly row?: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
  readonly refused?: readonly string[];
}

export type GoldenCases = Readonly<Record<string, GoldenCase>>;

const outcomeFields = ["becomes", "loses", "row", "warnings", "refused"] as const;
const flowWidth = 100;

export function parseGolden(text: string): GoldenCases {
  // Written in this form.
  return parse(text) as GoldenCases;
}

export function inputOf(cases: GoldenCases, name: string): GoldenInput {
  const { object, stored, change, subresource, ...one } = caseOf(cases, name);
  const base = object === undefined ? inputOf(cases, one.from ?? "minimal") : undefined;
  const before = stored ?? base?.stored;
  return {
    object: withDifference(object ?? base?.object, { set: one.with ?? {}, removed: one.without ?? [] }),
    ...(before ? { stored: before } : {}),
    ...(change === undefined ? {} : { change }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

export function outcomeOf(cases: GoldenCases, name: string): GoldenOutput {
  const one = caseOf(cases, name);
  if (one.refused) return { refused: one.refused };
  const expected = baseline(cases, name);
  return {
    object: withDifference(expected.object, { set: one.becomes ?? {}, removed: one.loses ?? [] }),
    row: { ...expected.row, ...one.row },
    ...(one.warnings ? { warnings: one.warnings } : {}),
  };
}

/** The text of a file with other outcomes; its comments and the order of its cases stay. */
export function withOutcomes(text: string, outcomes: ReadonlyMap<string, GoldenOutput>): string {
  const document = parseDocument(text);
  for (const [name, outcome] of outcomes) {
    for (const field of outcomeFields) document.deleteIn([name, field]);
    const told = toldOf(outcome, () => baseline(document.toJS() as GoldenCases, name));
    for (const [field, value] of Object.entries(told)) document.setIn([name, field], document.createNode(value));
  }
  return print(document);
}

/** One line for what fits into it. */
export function print(document: Document): string {
  if (isCollection(document.contents)) for (const item of document.contents.items) fold(item, 0);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** How a case tells an outcome. */
export function toldOf(outcome: GoldenOutput, expected: () => ReturnType<typeof baseline>): Partial<GoldenCase> {
  if ("refused" in outcome) return { refused: outcome.refused };
  const { object, row } = expected();
  const { set, removed } = difference(object, outcome.object);
  const cells = Object.entries(outcome.row).filter(([column, cell]) => row[column] !== cell);
  return {
    ...(Object.keys(set).length ? { becomes: set } : {}),
    ...(removed.length ? { loses: removed } : {}),
    ...(cells.length ? { row: Object.fromEntries(cells) } : {}),
    ...(outcome.warnings ? { warnings: outcome.warnings } : {}),
  };
}

/** What a case comes to where nothing is said. */
function baseline(cases: GoldenCases, name: string): { object: unknown; row: Readonly<Record<string, unknown>> } {
  const { object, from = "minimal", with: set = {}, without: removed = [], change } = caseOf(cases, name);
  const base = object === undefined ? outcomeOf(cases, from) : { object, row: {} };
  if ("refused" in base) throw new Error(`${name}: ${from} is refused`);
  const created = withDifference(base.object, { set, removed });
  return { object: change === undefined ? created : mergePatch(created, change), row: base.row };
}

function caseOf(cases: GoldenCases, name: string): GoldenCase {
  const found = cases[name];
  if (!found) throw new Error(`no golden case ${name}`);
  return found;
}

function fold(item: unknown, depth: number): void {
  const node = isPair(item) ? item.value : item;
  if (!isCollection(node)) return;
  const isShort = depth > 0 && !hasComment(node) && JSON.stringify(node).length <= flowWidth;
  // Paths have brackets, which would have to be quoted within one line.
  const isByPath = isMap(node) && node.items.some(({ key }) => String(key).includes("["));
  node.flow = isShort && !isByPath;
  for (const one of node.items) fold(one, depth + 1);
}

function hasComment(node: YamlNode): boolean {
  return Boolean(node.comment) || Boolean(node.commentBefore);
}
