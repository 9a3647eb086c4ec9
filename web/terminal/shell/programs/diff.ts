// `diff` and `cmp`: what two files do not have in common.
import { linesDiff } from "../../../../shared/k8s/diff.ts";
import { type Call, optionsOf, type Programs, readFile } from "../program.ts";
import { Failure } from "../shell.ts";
import { readAll } from "../streams.ts";

export const diffPrograms: Programs = {
  diff: async (call) => {
    const options = optionsOf(call.args, "uNrqiwbBU: --unified --brief --color --color=");
    const [left = "", right] = options.rest;
    if (right === undefined) throw new Failure(`missing operand after '${left || "diff"}'`, 2);
    const [before, after] = [await textOf(call, left), await textOf(call, right)];
    if (before === after) return 0;
    if (options.has("q", "brief")) call.out.write(`Files ${left} and ${right} differ\n`);
    else {
      const hunks = linesDiff(before.replace(/\n$/, ""), after.replace(/\n$/, ""));
      call.out.write(options.has("u", "U", "unified") ? `--- ${left}\n+++ ${right}\n${hunks}` : inNormalForm(hunks));
    }
    return 1;
  },
  cmp: async (call) => {
    const [left = "", right = ""] = call.args.filter((one) => !one.startsWith("-") || one === "-");
    const [before, after] = [await textOf(call, left), await textOf(call, right)];
    if (before === after) return 0;
    let at = 0;
    while (before[at] === after[at]) at++;
    if (!call.args.includes("-s"))
      call.out.write(`${left} ${right} differ: byte ${at + 1}, line ${before.slice(0, at).split("\n").length}\n`);
    return 1;
  },
};

async function textOf(call: Call, name: string): Promise<string> {
  try {
    return name === "-" ? await readAll(call.input, call.signal) : readFile(call, name);
  } catch (error) {
    throw error instanceof Error ? new Failure(error.message, 2) : error;
  }
}

/** `2,3c2`, with `<` and `>`, of unified hunks. */
function inNormalForm(hunks: string): string {
  let made = "";
  let [left, right] = [0, 0];
  let [removed, added]: [string[], string[]] = [[], []];
  const span = (from: number, count: number) => (count > 1 ? `${from},${from + count - 1}` : String(from));
  const flush = () => {
    if (removed.length + added.length === 0) return;
    const [from, to] = [left - removed.length, right - added.length];
    const letter = removed.length === 0 ? "a" : added.length === 0 ? "d" : "c";
    const before = removed.length === 0 ? String(from - 1) : span(from, removed.length);
    const after = added.length === 0 ? String(to - 1) : span(to, added.length);
    made += `${before}${letter}${after}\n${removed.map((line) => `< ${line}\n`).join("")}`;
    made += (letter === "c" ? "---\n" : "") + added.map((line) => `> ${line}\n`).join("");
    [removed, added] = [[], []];
  };
  for (const line of hunks.split("\n")) {
    const [, a, b] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line) ?? [];
    if (a !== undefined) {
      flush();
      [left, right] = [Number(a), Number(b)];
    } else if (line.startsWith("-")) {
      removed.push(line.slice(1));
      left++;
    } else if (line.startsWith("+")) {
      added.push(line.slice(1));
      right++;
    } else {
      flush();
      left++;
      right++;
    }
  }
  flush();
  return made;
}
