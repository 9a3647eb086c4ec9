// Input at a terminal: editing and history at the edge, and completion by the shell.
import { expect, test } from "vitest";
import { completionOf, withoutAdditions } from "../../../shared/base/completion.ts";
import { newTerminal } from "../../../worker/edge/session/terminal.ts";
import { typedInput } from "../../../worker/containers/shell/input.ts";
import { inImage, startMs } from "./in-image.ts";

const files = { "/etc/nginx/nginx.conf": "x", "/w/alpha.txt": "a", "/w/alphabet": "b", "/w/dir/x": "c" };

function typed(image: string, shell: string, ...texts: readonly string[]) {
  const pieces = texts.map((text, at) => ({ atMs: startMs + at, text }));
  const input = typedInput({ typed: pieces, hasEnded: true, isTerminal: true });
  const additions: string[] = [];
  const { all } = inImage(image, [shell], { files, input });
  return { text: withoutAdditions(all, (addition) => void additions.push(addition)), additions };
}

test.each([
  ["busybox:1.36", "sh", "cat /etc/ng", ["inx/"]],
  ["busybox:1.36", "sh", "unam", ["e "]],
  ["debian:12", "bash", "shop", ["t "]],
  ["debian:12", "bash", "cat /w/al", ["pha"]],
  ["debian:12", "bash", "echo $HOM", ["E "]],
  ["debian:12", "bash", "ls | sor", ["t "]],
  ["debian:12", "bash", "cat /nope/x", [""]],
  ["debian:12", "sh", "cat /etc/ng", []],
])("N12: in %s, %s completes %s", (image, shell, line, additions) => {
  expect(typed(image, shell, completionOf(line)).additions).toEqual(additions);
});

test("N12: several completions are listed, and the line is printed again", () => {
  const { text, additions } = typed("busybox:1.36", "sh", "cd /w\n", completionOf("cat alpha"), "cat alpha.txt\n");
  expect(additions).toEqual([""]);
  expect(text).toContain("/w # \nalpha.txt  alphabet\n/w # cat alphaa/w # ");
});

test("N12: at most 200 completions are listed", () => {
  const script = "cd /tmp; for i in $(seq 1000 1300); do echo > f$i; done\n";
  const { text } = typed("busybox:1.36", "sh", script, completionOf("cat f1"), "cat f1000\n");
  expect(text).toContain("f1199  ...\n");
  expect(text).not.toContain("f1200");
});

test("N12: keys edit a line in its middle and move to its ends", () => {
  const { type } = newTerminal();
  type("eco hi");
  for (const key of ["\u001b[H", "\u001b[C", "\u001b[C"]) type(key);
  expect(type("h").echo).toBe("ho hi\b\b\b\b");
  expect(type("\u0005!\r")).toEqual({ echo: "o hi!\r\n", pieces: ["echo hi!\n"], hasEnded: false });
  expect(type("\u001b[A").echo).toBe("echo hi!");
  expect(type("\u0017\u0015x\r").pieces).toEqual(["x\n"]);
});

test("N12: a completion becomes part of the line only after a Tab", () => {
  const terminal = newTerminal();
  terminal.type("cat /et");
  expect(terminal.complete("EVIL")).toBe(false);
  expect(terminal.type("\t").pieces).toEqual([completionOf("cat /et")]);
  expect(terminal.complete("c/")).toBe(true);
  expect(terminal.complete("more")).toBe(false);
  expect(terminal.type("hosts\r").pieces).toEqual(["cat /etc/hosts\n"]);
  terminal.type("a\t");
  terminal.complete("b\nrm -rf /\n");
  expect(terminal.type("\r").pieces).toEqual(["a\n"]);
});

test("N12: prompts, errors and history match the typed shell's", () => {
  expect(typed("busybox:1.36", "sh", "nope\n", "cd /nope\n").text).toBe(
    "/ # sh: nope: not found\n/ # sh: cd: can't cd to /nope: No such file or directory\n/ # ",
  );
  expect(typed("debian:12", "bash", "nope\n", "if\n", "fi\n", "history\n").text).toBe(
    "root@pod-1:/# bash: nope: command not found\nroot@pod-1:/# > bash: syntax error near unexpected token `fi'\nroot@pod-1:/#     1  nope\n    2  if\nfi\n    3  history\nroot@pod-1:/# ",
  );
  expect(typed("debian:12", "sh", "nope\n").text).toBe("# sh: 1: nope: not found\n# ");
});

test.each(["sh", "bash"])("N12: %s waits for the end of a here-document, and of a list", (shell) => {
  const { text } = typed("debian:12", shell, "cat <<EOF\n", "one\n", "EOF\n", "(echo two\n", ")\n");
  expect(text).toContain("> > one\n");
  expect(text).toContain("> two\n");
});
