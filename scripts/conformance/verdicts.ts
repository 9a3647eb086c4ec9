// The verdicts of conformance tests: read from Ginkgo's report, and written as the page that tells of each.
import { readFileSync, writeFileSync } from "node:fs";
import { kubernetes } from "./build.ts";
import { causeOf } from "./causes.ts";

interface Verdict {
  readonly passed: boolean;
  readonly seconds: number;
  readonly date: string;
  /** It was run with a focus, after a run of all. */
  readonly again?: true;
}

/** By the test's whole name. */
export type Verdicts = Readonly<Record<string, Verdict>>;

interface Spec {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly State: string;
  readonly RunTime: number;
  readonly StartTime: string;
}

const page = "docs/conformance.md";
const marker = "## Verdicts\n";
const nanosPerSecond = 1e9;

/** What was skipped or interrupted has none. `isAgain`: only some tests were run. */
export function readReport(path: string, isAgain = false): Verdicts {
  const reports = JSON.parse(readFileSync(path, "utf8")) as readonly { readonly SpecReports: readonly Spec[] }[];
  const specs = reports.flatMap(({ SpecReports }) => SpecReports).filter(({ LeafNodeType }) => LeafNodeType === "It");
  const run = specs.filter(({ State }) => !["skipped", "pending", "interrupted"].includes(State));
  return Object.fromEntries(
    run.map(({ ContainerHierarchyTexts, LeafNodeText, State, RunTime, StartTime }) => {
      const name = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ");
      const seconds = Math.round(RunTime / nanosPerSecond);
      const again = isAgain ? ({ again: true } as const) : {};
      return [name, { passed: State === "passed", seconds, date: StartTime.slice(0, 10), ...again }];
    }),
  );
}

export function writePage(verdicts: Verdicts, others: Verdicts): void {
  writeFileSync(page, pageWith(readFileSync(page, "utf8"), verdicts, others));
}

/** What stands above the list is written by hand. `others`: of tests that are not of conformance. */
export function pageWith(old: string, verdicts: Verdicts, others: Verdicts = {}): string {
  const before = old.split(marker)[0] ?? "";
  const all = sorted(verdicts);
  const again = all.filter(([, one]) => one.again).length;
  const told = again === 0 ? "" : `, ${again} of them when they were run again without the others`;
  const rows = all.map(([name, one]) => `| ${verdictOf(one)} | ${one.seconds} s | ${shown(name)} |\n`);
  const list = `| verdict | time | test |\n| --- | --- | --- |\n${rows.join("")}`;
  return `${before}${marker}${summary(all)}${told}.\n\n${list}${beyond(sorted(others))}`;
}

type Listed = readonly (readonly [name: string, verdict: Verdict])[];

function sorted(verdicts: Verdicts): Listed {
  return Object.entries(verdicts).sort(([a], [b]) => (a < b ? -1 : 1));
}

function summary(all: Listed): string {
  const dates = [...new Set(all.map(([, { date }]) => date))].sort();
  return `Kubernetes ${kubernetes}, ${dates.join(", ")}: ${passedOf(all)} of ${all.length} pass`;
}

function passedOf(all: Listed): number {
  return all.filter(([, one]) => one.passed).length;
}

function verdictOf({ passed, again }: Verdict): string {
  return `${passed ? "pass" : "**fail**"}${again ? ", run again" : ""}`;
}

/** The sums by special interest group, and what fails. */
function beyond(others: Listed): string {
  if (others.length === 0) return "";
  const groups = Map.groupBy(others, ([name]) => /\[sig-([^\]]+)\]/.exec(name)?.[1] ?? "none");
  const sums = [...groups].map(([group, all]) => `| ${group} | ${passedOf(all)} | ${all.length} |\n`);
  const failed = others.filter(([, one]) => !one.passed);
  const rows = failed.map(([name]) => `| ${shown(name)} | ${causeOf(name)} |\n`);
  return `
## Tests beyond conformance
${summary(others)}. The last verdict of each counts; tests that upstream skips here have none.

| group | pass | of |
| --- | --- | --- |
${sums.join("")}
| fails | why |
| --- | --- |
${rows.join("")}`;
}

/** Without the labels that all of them have. */
function shown(name: string): string {
  return name.replace(/ \[(Conformance|NodeConformance)\]/g, "").replaceAll("|", "\\|");
}
