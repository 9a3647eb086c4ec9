// The golden file of a kind: its cases by name. Each case contains only its differences from another one.
//
//   minimal:                            the first case of every file
//     object: { ... }                   the complete object to create
//     becomes: { spec.replicas: 1 }     the differences of the stored object, by path
//     row: { ... }                      the output of `kubectl get -o wide`
//
//   a derived case:
//
//     from: minimal                     the base case; default: `minimal`
//
//     with: { spec.replicas: 3 }        changes of the object to create, by path
//
//     without: [spec.selector]          removed fields
//
//     stored: { services: [ ... ] }     existing objects by resource; default: those of `from`
//
//     change: { spec: { ... } }         a merge patch for an update
//
//     subresource: status               the subresource of the update
//
//     becomes, loses, row, warnings     differences of the outcome from that of `from` with the same `with` and `change`
//
//     refused: [ ... ]                  or the errors
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
  // Files have this form.
  return parse(text) as GoldenCases;
}

export function inputOf(cases: GoldenCases, name: string): GoldenInput {
  const { object, stored, change, subresource, ...goldenCase } = caseOf(cases, name);
  const base = object === undefined ? inputOf(cases, goldenCase.from ?? "minimal") : undefined;
  const before = stored ?? base?.stored;
  return {
    object: withDifference(object ?? base?.object, { set: goldenCase.with ?? {}, removed: goldenCase.without ?? [] }),
    ...(before ? { stored: before } : {}),
    ...(change === undefined ? {} : { change }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

export function outcomeOf(cases: GoldenCases, name: string): GoldenOutput {
  const goldenCase = caseOf(cases, name);
  if (goldenCase.refused) return { refused: goldenCase.refused };
  const expected = baseline(cases, name);
  return {
    object: withDifference(expected.object, { set: goldenCase.becomes ?? {}, removed: goldenCase.loses ?? [] }),
    row: { ...expected.row, ...goldenCase.row },
    ...(goldenCase.warnings ? { warnings: goldenCase.warnings } : {}),
  };
}

/** Returns the text of a file with other outcomes. Comments and the order of cases are kept. */
export function withOutcomes(text: string, outcomes: ReadonlyMap<string, GoldenOutput>): string {
  const document = parseDocument(text);
  for (const [name, outcome] of outcomes) {
    for (const field of outcomeFields) document.deleteIn([name, field]);
    const printedOutcome = toldOf(outcome, () => baseline(document.toJS() as GoldenCases, name));
    for (const [field, value] of Object.entries(printedOutcome))
      document.setIn([name, field], document.createNode(value));
  }
  return print(document);
}

/** Prints small values on one line. */
export function print(document: Document): string {
  if (isCollection(document.contents)) for (const item of document.contents.items) fold(item, 0);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Returns the fields of an outcome that a case contains. */
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

/** Returns the expected outcome of a case without outcome fields. */
function baseline(cases: GoldenCases, name: string): { object: unknown; row: Readonly<Record<string, unknown>> } {
  const { object, from = "minimal", with: set = {}, without: removed = [], change } = caseOf(cases, name);
  const base = object === undefined ? outcomeOf(cases, from) : { object, row: {} };
  if ("refused" in base) throw new Error(`${name}: ${from} is refused`);
  const created = withDifference(base.object, { set, removed });
  return { object: change === undefined ? created : mergePatch(created, change), row: base.row };
}

function caseOf(cases: GoldenCases, name: string): GoldenCase {
  const goldenCase = cases[name];
  if (!goldenCase) throw new Error(`no golden case ${name}`);
  return goldenCase;
}

function fold(item: unknown, depth: number): void {
  const node = isPair(item) ? item.value : item;
  if (!isCollection(node)) return;
  const isShort = depth > 0 && !hasComment(node) && JSON.stringify(node).length <= flowWidth;
  // Paths contain brackets, which need quotes on one line.
  const isByPath = isMap(node) && node.items.some(({ key }) => String(key).includes("["));
  node.flow = isShort && !isByPath;
  for (const child of node.items) fold(child, depth + 1);
}

function hasComment(node: YamlNode): boolean {
  return Boolean(node.comment) || Boolean(node.commentBefore);
}
