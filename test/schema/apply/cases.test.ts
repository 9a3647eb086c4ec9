// A table of cases: writes of several managers in sequence, and the result of upstream's own library after each.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isObject } from "../../../shared/schema/json-values.ts";
import { type ApplyCase, type Outcome, runCase } from "./run-case.ts";

interface Case extends ApplyCase {
  readonly title: string;
  /** The outcomes of structured-merge-diff 6.3.2 and the managedfields package of apimachinery 0.36.0. */
  readonly outcomes: readonly Outcome[];
}

const cases = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8")) as readonly Case[];

test.each(cases)("a write has upstream's result: $title", ({ outcomes, ...writeCase }) => {
  expect(runCase(writeCase).map(comparable)).toEqual(outcomes.map(comparable));
});

/** Returns an outcome without the order of conflicts in a map and the times, which vary upstream. */
function comparable({ object, error, causes = [] }: Outcome): unknown {
  if (error === undefined) return inOrder(withoutNulls(object));
  const lines = error.replace(/^failed to create typed patch object \(.*?\): /, "").split("\n");
  return { error: lines.sort(), causes: causes.map(({ field, message }) => `${field}: ${message}`).sort() };
}

function inOrder(object: unknown): unknown {
  const { metadata, ...rest } = object as { metadata: { managedFields?: readonly Record<string, unknown>[] } };
  const name = ({ operation, manager, subresource }: Record<string, unknown>) =>
    JSON.stringify([operation, manager, subresource]);
  const entries = [...(metadata.managedFields ?? [])].sort((a, b) => (name(a) < name(b) ? -1 : 1));
  return { ...rest, metadata: { ...metadata, managedFields: entries } };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null && item !== undefined)
      .map(([name, item]) => [name, withoutNulls(item)]),
  );
}
