// CEL expressions with more problems than the bound of a report.
import { expect, test } from "vitest";
import { compile } from "../../shared/cel/program.ts";

const problemsOf = (source: string): string => {
  const compiled = compile(source, { variables: new Map() });
  return "problems" in compiled ? compiled.problems : "";
};

test("a hundred unreadable characters are reported, and reading ends at the next one", () => {
  const problems = problemsOf("Ø ".repeat(5_000));
  expect(problems.match(/ERROR: /g)?.length).toBe(100);
  expect(problems.split("\n").at(-1)).toBe("1 more errors were truncated");
});

test("a hundred unknown names are reported, with the number of further ones", () => {
  const problems = problemsOf(Array.from({ length: 120 }, (_, at) => `n${at}`).join(" + "));
  expect(problems.match(/undeclared reference/g)?.length).toBe(100);
  expect(problems.split("\n").at(-1)).toBe("20 more errors were truncated");
});

test("a problem behind wide letters and tabs is marked below its place", () => {
  expect(problemsOf("\t'é𐀀' +\n\t'é' + x")).toBe(
    "ERROR: <input>:2:8: undeclared reference to 'x' (in container '')\n |  'é' + x\n | ..．....^",
  );
});
