// The record of a learner's terminals: lines and their output while they run, as plain text, in small groups that are repeated until they arrive.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { recordingLimits } from "../../shared/base/lesson-limits.ts";
import type { CommandList, RecordCommands } from "../../shared/contract/hosted/teaching.ts";
import { recordLines } from "../../web/learn/board/record-lines.ts";
import { recordPage } from "../../web/learn/terminal-record.ts";

const { sendMs, outputCharacters, lineOutputCharacters, lineCharacters, sendAttempts } = recordingLimits;
const sent: RecordCommands["commands"][] = [];
const closing: RecordCommands["commands"][] = [];
let isBroken = false;
let requests = 0;
const api = {
  record: async ({ commands }: RecordCommands, isClosing: boolean) => {
    requests += 1;
    if (isBroken) throw new Error("no connection");
    (isClosing ? closing : sent).push([...commands]);
  },
};
const newPage = () => recordPage(api, "page-one", () => Date.now());
const entries = () => sent.flat();
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  sent.length = 0;
  closing.length = 0;
  requests = 0;
  isBroken = false;
});
afterEach(() => void vi.useRealTimers());

describe("a line", () => {
  test("M12: is sent with its time, exit code and output, without colours, cursor movements and the prompt", async () => {
    const terminal = newPage().newTerminal();
    terminal.write("$ kubectl get pods\r\n");
    terminal.started("kubectl get pods");
    await wait(200);
    terminal.write("\u001b[32mNAME\u001b[0m ");
    terminal.write("\u001b]0;title\u0007READY\r\n");
    terminal.ended("kubectl get pods", 1);
    terminal.write("~ $ ");
    await wait(sendMs);
    const at = new Date(1_000_000).toISOString();
    expect(sent).toEqual([
      [{ at, line: "kubectl get pods", output: "NAME READY\n", exitCode: 1, tookMs: 200, seq: 1, number: 1 }],
    ]);
  });

  test("M12: is sent while it runs, at most once a second, and its output afterwards in the order of time", async () => {
    const terminal = newPage().newTerminal();
    terminal.started("kubectl logs -f web");
    await wait(sendMs);
    expect(entries()).toMatchObject([{ line: "kubectl logs -f web", output: "" }]);
    expect(entries()[0]).not.toHaveProperty("exitCode");
    for (let at = 1; at <= 20; at++) {
      terminal.write(`line ${at}\r\n`);
      await wait(sendMs / 10);
    }
    await wait(sendMs);
    expect(sent.length).toBeLessThanOrEqual(4);
    terminal.ended("kubectl logs -f web", 130);
    await wait(sendMs);
    const [first, ...later] = entries();
    expect(later.every(({ line, number, at }) => line === "" && number === 1 && at === first?.at)).toBe(true);
    expect(entries().map(({ seq }) => seq)).toEqual(entries().map((_, at) => at + 1));
    expect(entries().at(-1)?.exitCode).toBe(130);
    expect(
      entries()
        .map(({ output }) => output)
        .join(""),
    ).toBe(Array.from({ length: 20 }, (_, at) => `line ${at + 1}\n`).join(""));
    const tookMs = entries().map(({ tookMs: ms }) => ms);
    expect(tookMs).toEqual([...tookMs].sort((a, b) => a - b));
    // Nothing runs, so nothing is sent any more.
    const before = requests;
    await wait(10 * sendMs);
    expect(requests).toBe(before);
  });

  test("M12: has bounded output, of which the end always arrives", async () => {
    const terminal = newPage().newTerminal();
    terminal.started("y".repeat(lineCharacters + 1));
    for (let at = 0; at < 100; at++) {
      terminal.write(`${"x".repeat(outputCharacters - 1)}\n`);
      await wait(sendMs);
    }
    const running = requests;
    terminal.write("the end");
    terminal.ended("", 300);
    await wait(sendMs);
    const all = entries();
    expect(all[0]?.line.length).toBe(lineCharacters);
    expect(all.reduce((sum, { output }) => sum + output.length, 0)).toBeLessThanOrEqual(lineOutputCharacters);
    expect(Math.max(...all.map(({ output }) => output.length))).toBeLessThanOrEqual(outputCharacters);
    expect(all.at(-1)).toMatchObject({ exitCode: 255, output: expect.stringMatching(/the end$/) });
    // Past its bound, a running line causes no requests.
    expect(running).toBeLessThan(20);
  });

  test("M12: shows the last screen of a program that clears it, and waits for the end of an escape sequence", async () => {
    const terminal = newPage().newTerminal();
    terminal.started("watch date");
    terminal.write("\u001b[H\u001b[2Jone\u001b[H\u001b[2Jtwo\u001b[3");
    await wait(sendMs);
    terminal.write("1mred");
    await wait(sendMs);
    expect(entries().map(({ output }) => output)).toEqual(["two", "red"]);
  });
});

describe("requests", () => {
  test("M12: are bounded groups", async () => {
    const terminal = newPage().newTerminal();
    for (let at = 1; at <= recordingLimits.commandsAtOnce + 1; at++) {
      terminal.started(`line ${at}`);
      terminal.ended(`line ${at}`, 0);
    }
    await wait(3 * sendMs);
    expect(sent.map(({ length }) => length)).toEqual([recordingLimits.commandsAtOnce, 1]);
  });

  test("M12: are repeated with the same numbers until they arrive, and given up after a number of attempts", async () => {
    const terminal = newPage().newTerminal();
    isBroken = true;
    terminal.started("one");
    terminal.ended("one", 0);
    await wait(3 * sendMs);
    terminal.started("two");
    terminal.ended("two", 0);
    isBroken = false;
    await wait(60 * sendMs);
    expect(entries().map(({ seq, line }) => [seq, line])).toEqual([
      [1, "one"],
      [2, "two"],
    ]);
    isBroken = true;
    terminal.started("lost");
    terminal.ended("lost", 0);
    const before = requests;
    await wait(1000 * sendMs);
    expect(requests - before).toBe(sendAttempts);
    isBroken = false;
    terminal.started("three");
    terminal.ended("three", 0);
    await wait(sendMs);
    expect(entries().at(-1)).toMatchObject({ line: "three", seq: 4 });
  });

  test("M12: carry what has not arrived when the page closes, within the browser's bound", async () => {
    const page = newPage();
    const terminal = page.newTerminal();
    terminal.started("kubectl logs -f web");
    terminal.write("first\n");
    page.closing(true);
    expect(closing).toMatchObject([[{ seq: 1, line: "kubectl logs -f web", output: "first\n" }]]);
    expect(closing[0]?.[0]).not.toHaveProperty("exitCode");
    terminal.ended("kubectl logs -f web", 0);
    for (let at = 0; at < 10; at++) {
      terminal.started(`line ${at}`);
      terminal.write("é".repeat(lineOutputCharacters));
      terminal.ended(`line ${at}`, 0);
    }
    terminal.started("sleep 60");
    page.closing(false);
    const last = closing[1] ?? [];
    expect(last.at(-1)).toMatchObject({ exitCode: 129, line: "sleep 60", number: 12 });
    expect(new TextEncoder().encode(JSON.stringify(last)).length).toBeLessThan(64 * 1024);
    expect(last.length).toBeGreaterThan(0);
  });
});

describe("the board", () => {
  const entry = (seq: number, more: Partial<CommandList["commands"][number]>) => ({
    ...{ seq, at: new Date(seq * 1000).toISOString(), line: "", output: "", tookMs: 0, page: "page-one", number: 1 },
    ...more,
  });

  test("M12: puts the entries of lines together that ran at the same time, and shows lines of older records", () => {
    const at = new Date(500).toISOString();
    const lines = recordLines([
      entry(1, { at, line: "kubectl logs -f web", output: "a\n" }),
      entry(2, { line: "date", number: 2, output: "today", exitCode: 0 }),
      entry(3, { at, output: "b\n" }),
      entry(4, { line: "ls", page: "", number: 0, exitCode: 1 }),
      entry(5, { line: "pwd", page: "", number: 0, exitCode: 0 }),
    ]);
    expect(lines.map(({ line, output, exitCode }) => [line, output, exitCode])).toEqual([
      ["kubectl logs -f web", "a\nb\n", undefined],
      ["date", "today", 0],
      ["ls", "", 1],
      ["pwd", "", 0],
    ]);
  });
});
