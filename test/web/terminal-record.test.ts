// The record of a learner's terminal: lines with times and the plain end of their output, in small groups.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recordingLimits } from "../../shared/base/lesson-limits.ts";
import type { RecordCommands } from "../../shared/contract/hosted/teaching.ts";
import { recordTerminal } from "../../web/learn/terminal-record.ts";

const sent: RecordCommands["commands"][] = [];
let nowMs = 0;
const api = {
  record: async ({ commands }: RecordCommands) => {
    sent.push([...commands]);
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
  nowMs = 1_000_000;
});
afterEach(() => vi.useRealTimers());

test("M12: a line is sent with its time and output, without colours and cursor movements", () => {
  const record = recordTerminal(api, () => nowMs);
  record.write("$ ");
  nowMs += 5_000;
  record.write("\u001b[32mk\u001b[0mubectl get pods\r\n");
  nowMs += 200;
  record.write("\u001b]0;title\u0007NAME\r\n");
  record.ended("kubectl get pods", 1);
  vi.advanceTimersByTime(1_000);
  expect(sent).toEqual([
    [
      {
        at: new Date(1_005_000).toISOString(),
        line: "kubectl get pods",
        output: "NAME\n",
        exitCode: 1,
        tookMs: 200,
      },
    ],
  ]);
});

test("M12: empty lines are left out, long ones and outputs are cut, and groups are bounded", () => {
  const record = recordTerminal(api, () => nowMs);
  record.ended("  ", 0);
  record.write("\n");
  record.write("x".repeat(3 * recordingLimits.outputCharacters));
  record.ended("y".repeat(recordingLimits.lineCharacters + 1), 300);
  for (let at = 1; at <= recordingLimits.commandsAtOnce; at++) record.ended(`line ${at}`, 0);
  vi.advanceTimersByTime(700);
  const [first] = sent[0] ?? [];
  expect([first?.line.length, first?.output.length, first?.exitCode]).toEqual([
    recordingLimits.lineCharacters,
    recordingLimits.outputCharacters,
    255,
  ]);
  vi.advanceTimersByTime(700);
  expect(sent.map(({ length }) => length)).toEqual([recordingLimits.commandsAtOnce, 1]);
});
