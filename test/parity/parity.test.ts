// Recorded answers of a real API server compared with a sandbox's, and the list of known differences.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { beforeAll, describe, expect, test } from "vitest";
import { difference } from "../kinds/difference.ts";
import { readAnswers } from "./answers.ts";
import { caseFiles, readCases } from "./cases.ts";
import type { PlainAnswer } from "./normalise.ts";
import { play } from "./play.ts";
import { newSandbox } from "./sandbox.ts";

/** By reason: the paths at which an answer differs, by `file: case`. */
type KnownDifferences = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const byReason = parse(readFileSync(join(import.meta.dirname, "differences.yaml"), "utf8")) as KnownDifferences;
const knownDifferences = new Map<string, readonly string[]>();
for (const cases of Object.values(byReason)) {
  for (const [caseName, paths] of Object.entries(cases))
    knownDifferences.set(caseName, [...(knownDifferences.get(caseName) ?? []), ...paths]);
}
const files = caseFiles().map(readCases);

describe("U1: answers of a sandbox and of the real API server", () => {
  describe.each(files)("$name", (file) => {
    const recorded = readAnswers(file.name);
    let answers: ReadonlyMap<string, PlainAnswer>;
    let bugs: readonly unknown[];

    beforeAll(async () => {
      const sandbox = newSandbox();
      answers = await play(file, sandbox.send);
      bugs = sandbox.bugs;
    });

    test("U1: every case is recorded, and no other", () => {
      expect([...recorded.keys()]).toEqual(file.cases.map(({ name }) => name));
    });

    test("U1: no case breaks an assertion", () => {
      expect(bugs).toEqual([]);
    });

    test.each(file.cases)("U1: $name", ({ name }) => {
      const paths = knownDifferences.get(`${file.name}: ${name}`);
      if (!paths) expect(answers.get(name)).toEqual(recorded.get(name));
      else expect(differingPaths(recorded.get(name), answers.get(name))).toEqual([...paths].sort());
    });
  });
});

describe("U2: known differences", () => {
  test("U2: each listed case exists", () => {
    const recordedCases = new Set(files.flatMap((file) => file.cases.map(({ name }) => `${file.name}: ${name}`)));
    expect([...knownDifferences.keys()].filter((caseKey) => !recordedCases.has(caseKey))).toEqual([]);
  });

  test("U2: the page names each reason", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/parity.md"), "utf8").replaceAll(/\s+/g, " ");
    expect(Object.keys(byReason).filter((reason) => !page.includes(reason))).toEqual([]);
  });
});

function differingPaths(real: unknown, ours: unknown): string[] {
  const { set, removed } = difference(real, ours);
  return [...Object.keys(set), ...removed].sort();
}
