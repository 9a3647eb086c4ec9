// Runs the golden cases of every kind. A new case is a few lines of YAML; `UPDATE_GOLDEN=1` writes the outcomes.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { kinds } from "../../worker/kinds/catalogue.ts";
import type { Kind } from "../../worker/kinds/kind.ts";
import { type GoldenOutput, findKind, runGolden } from "./golden.ts";
import { type GoldenCases, inputOf, outcomeOf, parseGolden, withOutcomes } from "./golden-file.ts";

/** The most used kinds. */
const mostUsed = [
  ...["pods", "services", "configmaps", "secrets", "namespaces", "nodes", "serviceaccounts"],
  ...["persistentvolumeclaims", "persistentvolumes", "deployments", "replicasets", "statefulsets", "daemonsets"],
  ...["jobs", "cronjobs", "ingresses", "networkpolicies", "horizontalpodautoscalers", "roles", "rolebindings"],
  ...["clusterroles", "clusterrolebindings", "storageclasses", "poddisruptionbudgets"],
];

const root = join(import.meta.dirname, "golden");
const files = readdirSync(root).map((file) => {
  const text = readFileSync(join(root, file), "utf8");
  return { resource: file.slice(0, -".yaml".length), path: join(root, file), text, cases: parseGolden(text) };
});

describe.each(files)("$resource", ({ resource, path, text, cases }) => {
  const outcomes = new Map<string, GoldenOutput>();

  test.each(Object.keys(cases))("a write has the outcome of its golden file: %s", (name) => {
    const outcome = runGolden(kinds, findKind(kinds, resource), inputOf(cases, name));
    outcomes.set(name, outcome);
    if (!process.env.UPDATE_GOLDEN) expect(outcome).toEqual(outcomeOf(cases, name));
  });

  afterAll(() => {
    if (process.env.UPDATE_GOLDEN) writeFileSync(path, withOutcomes(text, outcomes));
  });
});

test("every kind has a file with a minimal accepted object, its row, and a rejection", () => {
  const lacking = kinds.flatMap((kind) => (kind.computed ? [] : lackOf(kind)));
  expect(lacking).toEqual([]);
});

test.each(mostUsed)("the golden file of %s has at least five rejections", (resource) => {
  const refusals = Object.values(casesOf(resource) ?? {}).filter(({ refused }) => refused);
  expect(refusals.length).toBeGreaterThanOrEqual(5);
});

/** Returns what the golden file of a kind lacks. A kind with the resource of another may be in its file. */
function lackOf(kind: Kind): string[] {
  const cases = casesOf(kind.resource) ?? casesOf(kind.plural);
  if (!cases) return [`${kind.resource}: a file`];
  const all = Object.values(cases);
  const has = {
    "a minimal object": cases["minimal"]?.object !== undefined,
    "a row": all.some(({ refused }) => !refused),
    "a refusal": all.some(({ refused }) => (refused ?? []).length > 0),
  };
  return Object.entries(has).flatMap(([what, is]) => (is ? [] : [`${kind.resource}: ${what}`]));
}

function casesOf(resource: string): GoldenCases | undefined {
  return files.find((file) => file.resource === resource)?.cases;
}
