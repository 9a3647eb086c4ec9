// Reads the verdicts of conformance tests from Ginkgo's report, and writes the page that lists them.
import { readFileSync, writeFileSync } from "node:fs";
import { type KubernetesVersion, newestVersion } from "../../shared/k8s/settings/release.ts";
import { patchOf } from "../releases/modules.ts";
import { causeOf } from "./causes.ts";

interface Verdict {
  readonly passed: boolean;
  readonly seconds: number;
  readonly date: string;
  /** Whether the test was run again with a focus, after a run of all. */
  readonly again?: true;
}

/** Verdicts by the full name of the test. */
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
const olderMarker = "## Older releases\n";
const nanosPerSecond = 1e9;

/** Reads a report. Skipped and interrupted tests have no verdict. `isAgain`: only some tests were run. */
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

export function writePage(version: KubernetesVersion, verdicts: Verdicts, furtherVerdicts: Verdicts): void {
  const old = readFileSync(page, "utf8");
  const isNewest = version === newestVersion;
  writeFileSync(page, isNewest ? pageWith(old, verdicts, furtherVerdicts) : pageWithOlder(old, version, verdicts));
}

/** Returns the page with a new list. The text above the list is written by hand. `furtherVerdicts`: those of tests beyond conformance. */
export function pageWith(old: string, verdicts: Verdicts, furtherVerdicts: Verdicts = {}): string {
  const before = old.split(marker)[0] ?? "";
  const all = sorted(verdicts);
  const rows = all.map(([name, verdict]) => `| ${verdictOf(verdict)} | ${verdict.seconds} s | ${shortName(name)} |\n`);
  const list = `| verdict | time | test |\n| --- | --- | --- |\n${rows.join("")}`;
  return `${before}${marker}${summary(all)}${repeatNote(all)}.\n\n${list}${beyond(sorted(furtherVerdicts))}`;
}

/** Returns the page with the sum and the failures of an older release. The rows of other releases stay, and the text above the rows. */
export function pageWithOlder(old: string, version: KubernetesVersion, verdicts: Verdicts): string {
  const [before = "", section = ""] = old.split(olderMarker);
  const [olderSection = "", ...after] = section.split(marker);
  const [firstPart = ""] = olderSection.split("\n|");
  const text = firstPart.trimEnd();
  const all = sorted(verdicts);
  const failed = all.filter(([, verdict]) => !verdict.passed);
  const result = `${passedOf(all)} of ${all.length} pass${repeatNote(all)}`;
  const rows = [
    ...olderSection.split("\n").filter((line) => /^\| 1\.\d+ /.test(line) && !line.startsWith(`| ${version} `)),
    `| ${version} (${patchOf(version)}) | ${datesOf(all)} | ${result} |`,
    ...failed.map(([name]) => `| ${version} | ${shortName(name)} | ${causeOf(name)} |`),
  ].sort();
  const sums = rows.filter((row) => row.includes(" (v"));
  const failures = rows.filter((row) => !row.includes(" (v"));
  const list = [`| release | date | result |`, "| --- | --- | --- |", ...sums];
  const differences = ["", "| release | fails | why |", "| --- | --- | --- |", ...failures];
  const tables = [...list, ...(failures.length > 0 ? differences : []), ""].join("\n");
  return `${before}${olderMarker}${text}\n\n${tables}\n${marker}${after.join(marker)}`;
}

type Listed = readonly (readonly [name: string, verdict: Verdict])[];

function sorted(verdicts: Verdicts): Listed {
  return Object.entries(verdicts).sort(([a], [b]) => (a < b ? -1 : 1));
}

function summary(all: Listed): string {
  return `Kubernetes ${patchOf(newestVersion)}, ${datesOf(all)}: ${passedOf(all)} of ${all.length} pass`;
}

function datesOf(all: Listed): string {
  return [...new Set(all.map(([, { date }]) => date))].sort().join(", ");
}

function repeatNote(all: Listed): string {
  const again = all.filter(([, verdict]) => verdict.again).length;
  return again === 0 ? "" : `, ${again} of them when they were run again without the others`;
}

function passedOf(all: Listed): number {
  return all.filter(([, verdict]) => verdict.passed).length;
}

function verdictOf({ passed, again }: Verdict): string {
  return `${passed ? "pass" : "**fail**"}${again ? ", run again" : ""}`;
}

/** Returns the sums by special interest group, and the failures. */
function beyond(furtherTests: Listed): string {
  if (furtherTests.length === 0) return "";
  const groups = Map.groupBy(furtherTests, ([name]) => /\[sig-([^\]]+)\]/.exec(name)?.[1] ?? "none");
  const sums = [...groups].map(([group, all]) => `| ${group} | ${passedOf(all)} | ${all.length} |\n`);
  const failed = furtherTests.filter(([, verdict]) => !verdict.passed);
  const rows = failed.map(([name]) => `| ${shortName(name)} | ${causeOf(name)} |\n`);
  return `
## Tests beyond conformance
${summary(furtherTests)}. The last verdict of each counts; tests that upstream skips here have none.

| group | pass | of |
| --- | --- | --- |
${sums.join("")}
| fails | why |
| --- | --- |
${rows.join("")}`;
}

/** Returns a test's name without the labels that all tests have. */
function shortName(name: string): string {
  return name.replace(/ \[(Conformance|NodeConformance)\]/g, "").replaceAll("|", "\\|");
}
