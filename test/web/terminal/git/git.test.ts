// The terminal's git writes what the real one wrote: each scene is compared with its record in `golden/`. `SANDBAR_RECORD=1` records them
// again with the git of this machine. Times are fixed, so that even the ids of commits are equal.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readIndex, writeIndex } from "../../../../web/terminal/shell/git/index-file.ts";
import { home } from "../../../../web/terminal/shell/shell.ts";
import { shellWith } from "../shell.ts";
import { scenes } from "./scenes.ts";

interface Row {
  readonly line: string;
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const startSeconds = 1_700_000_000;

function dates(step: number): Readonly<Record<string, string>> {
  const date = `${startSeconds + step * 60} +0100`;
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

async function playOurs(lines: readonly string[]): Promise<Row[]> {
  const { run } = shellWith();
  await run("mkdir work; cd work");
  const rows: Row[] = [];
  for (const [step, line] of lines.entries()) {
    for (const [name, value] of Object.entries(dates(step))) await run(`export ${name}='${value}'`);
    const { code, out, err } = await run(line);
    rows.push({ line, code, out, err });
  }
  return rows;
}

function playReal(lines: readonly string[]): Row[] {
  const realHome = mkdtempSync(join(tmpdir(), "git-"));
  let folder = join(realHome, "work");
  mkdirSync(folder);
  return lines.map((line, step) => {
    const env = {
      PATH: process.env.PATH,
      HOME: realHome,
      GIT_CONFIG_NOSYSTEM: "1",
      LC_ALL: "C.UTF-8",
      TERM: "xterm",
      ...dates(step),
    };
    const script = `${line}\ncode=$?; pwd > ${realHome}/folder; exit $code`;
    const { status, stdout, stderr } = spawnSync("bash", ["-c", script], { cwd: folder, env, encoding: "utf8" });
    folder = readFileSync(join(realHome, "folder"), "utf8").trim();
    const normal = (text: string) => text.replaceAll(realHome, home).replace(/'\S+(?=\.\(none\)')/, "'user@terminal");
    return { line, code: status ?? -1, out: normal(stdout), err: normal(stderr) };
  });
}

describe("the terminal's git and the real git", () => {
  for (const [name, lines] of Object.entries(scenes))
    test(`print the same in a session of ${name}`, async () => {
      const path = join(import.meta.dirname, "golden", `${name}.json`);
      if (process.env.SANDBAR_RECORD !== undefined) {
        mkdirSync(join(import.meta.dirname, "golden"), { recursive: true });
        writeFileSync(path, `${JSON.stringify(playReal(lines), undefined, 1)}\n`);
      }
      expect(await playOurs(lines)).toEqual(JSON.parse(readFileSync(path, "utf8")));
    });
});

test("without -m the message is what the editor leaves, without its comments", async () => {
  const { shell, run } = shellWith();
  await run("git config --global user.name A; git config --global user.email a@b.c; mkdir r; cd r");
  await run("git init -q; echo 1 > a; git add a");
  expect(await run("git commit")).toMatchObject({ code: 1, err: "Aborting commit due to empty commit message.\n" });
  let template = "";
  Object.assign(shell.machine.device, {
    edit: (text: string) => {
      template = text;
      return Promise.resolve(`Typed\n${text}`);
    },
  });
  expect((await run("git commit")).out).toContain("] Typed\n");
  expect(template).toMatch(
    /^\n# Please enter the commit message[^]*\n# Initial commit\n#\n# Changes to be committed:\n#\tnew file: {3}a\n#\n$/,
  );
});

test("git add without room fails, and the repository stays readable", async () => {
  const { run } = shellWith();
  await run("git config --global user.name A; git config --global user.email a@b.c; mkdir r; cd r; git init -q");
  await run("echo 1 > a; git add a; git commit -qm one; for i in $(seq 400); do echo $i > f$i; done");
  const { code, err } = await run("git add .");
  expect({ code, err }).toEqual({
    code: 128,
    err: expect.stringMatching(/^fatal: write \S+: no space left on device\n$/) as unknown,
  });
  expect((await run("git log --format=%s; git status -s | wc -l")).out).toBe("one\n400\n");
});

test("a diff of a very long file is printed, with each of its lines", async () => {
  const { run } = shellWith();
  await run("git config --global user.name A; git config --global user.email a@b.c; mkdir r; cd r; git init -q");
  await run("yes | head -n 300000 > a; git add a; git commit -qm a; echo 1 > a");
  expect(await run("git diff | grep -c '^-y'")).toEqual({ code: 0, out: "300000\n", err: "" });
});

test("a truncated index is read up to its last complete entry", async () => {
  const entry = { path: "a", oid: "1".repeat(40), mode: 0o100644, stage: 0 };
  const written = await writeIndex([entry, { ...entry, path: "b".repeat(70) }]);
  const count = "\u00ff".repeat(4);
  const truncated = `${written.slice(0, 8)}${count}${written.slice(12, 12 + 72 + 100)}`;
  expect(readIndex(truncated)).toEqual([entry]);
});

test("the real git finds no fault in a repository of the terminal", async () => {
  const { run, files } = shellWith();
  await run("git config --global user.name A; git config --global user.email a@b.c; mkdir r; cd r; git init -q");
  await run(
    "mkdir -p a/b; echo 1 > a/b/c; echo 2 > a.txt; echo 3 > a0; git add .; git commit -qm one; git tag -a v1 -m v",
  );
  await run(
    "git switch -qc x; echo 4 > a0; git commit -qam two; echo 5 > a0; git stash; git switch -q master; echo 6 > z; git add z",
  );
  const target = mkdtempSync(join(tmpdir(), "git-"));
  const write = (folder: string, place: string) => {
    mkdirSync(place, { recursive: true });
    for (const entry of files.list(folder) ?? []) {
      const text = files.read(`${folder}/${entry}`);
      const encoding = /\.git\/(objects|index)/.test(`${folder}/${entry}`) ? "latin1" : "utf8";
      if (text === undefined) write(`${folder}/${entry}`, join(place, entry));
      else writeFileSync(join(place, entry), text, encoding);
    }
  };
  write(`${home}/r`, target);
  const real = (...args: string[]) => execFileSync("git", args, { cwd: target, encoding: "utf8" });
  expect(real("fsck", "--strict", "--full")).toBe("");
  expect(real("status", "--short")).toBe("A  z\n");
  expect(real("stash", "list")).toMatch(/^stash@\{0\}: WIP on x: [\da-f]{7} two\n$/);
  expect(real("cat-file", "-t", "v1")).toBe("tag\n");
});
