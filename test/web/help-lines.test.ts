// The teacher's lines on learners' pages: each line runs at most once, in the terminal with the consent, and none is lost.
import { beforeEach, describe, expect, test } from "vitest";
import type { Run } from "../../shared/contract/lesson.ts";
import { ControlFailure } from "../../web/api/control-failure.ts";
import { newHelpLines } from "../../web/learn/help-lines.ts";
import type { PageTerminal } from "../../web/learn/page-terminals.ts";

type Help = Run["help"];

/** The service: lines, the terminal with the consent, and connections that break before or after a request. */
let service: { help: Help; breaks: "" | "before" | "after" };

const api = {
  takeLines: async (terminal: string, upTo: number) => {
    if (service.breaks === "before") throw new Error("no connection");
    const { help, breaks } = service;
    if (help.state !== "joined" || help.terminal !== terminal)
      throw new ControlFailure(409, { code: "consent_missing", message: "another terminal" });
    service.help = { ...help, lines: help.lines.filter(({ seq }) => seq > upTo) };
    if (breaks === "after") throw new Error("the response was lost");
  },
};

const line = (seq: number, text = `line ${seq}`) => ({ id: `id-${seq}`, seq, text });
const joined = (terminal: string, ...lines: Help["lines"]): Help => ({ state: "joined", terminal, lines });

function newPage(id: string) {
  const ran: string[] = [];
  const terminal: PageTerminal = {
    ...{ id, title: "Terminal 1" },
    run: (text) => void ran.push(text),
    interrupt: () => void ran.push("^C"),
  };
  const lines = newHelpLines(api);
  /** Reads the newest help, or an older one that arrives late. */
  const poll = (help = service.help) => lines.update(help, [terminal]);
  return { ran, poll, lines };
}

beforeEach(() => {
  service = { help: joined("terminal-a", line(1), line(2)), breaks: "" };
});

describe("the teacher's lines", () => {
  test("M12: run once in the terminal with the consent, whatever an older response says", async () => {
    const [a, b] = [newPage("terminal-a"), newPage("terminal-b")];
    const older = service.help;
    await Promise.all([a.poll(), b.poll()]);
    await Promise.all([a.poll(older), a.poll(older), b.poll(older)]);
    service.help = { ...service.help, lines: [line(3), line(4, "")] };
    await a.poll();
    await a.poll();
    expect([a.ran, b.ran]).toEqual([["line 1", "line 2", "line 3", "^C"], []]);
  });

  test.each(["before", "after"] as const)(
    "M12: run once if the connection breaks %s the request is served",
    async (breaks) => {
      const page = newPage("terminal-a");
      service.breaks = breaks;
      await page.poll();
      expect(page.ran).toEqual([]);
      service.breaks = "";
      // A line that was sent meanwhile follows.
      service.help = { ...service.help, lines: [...service.help.lines, line(3)] };
      await page.poll();
      await page.poll();
      expect(page.ran).toEqual(["line 1", "line 2", "line 3"]);
    },
  );

  test("M12: run in the terminal to which the consent moved, and not in the one that had it", async () => {
    const [a, b] = [newPage("terminal-a"), newPage("terminal-b")];
    const older = service.help;
    service.help = joined("terminal-b", ...older.lines);
    await a.poll(older);
    await a.poll();
    await b.poll();
    expect([a.ran, b.ran]).toEqual([[], ["line 1", "line 2"]]);
  });

  test("M12: wait while the terminal is closed, and do not run after the consent has ended", async () => {
    const page = newPage("terminal-a");
    await page.lines.update(service.help, []);
    expect(service.help.lines.length).toBe(2);
    const older = service.help;
    service.help = { state: "none", lines: [] };
    await page.poll(older);
    expect(page.ran).toEqual([]);
  });
});
