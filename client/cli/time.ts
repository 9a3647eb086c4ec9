// Commands for the time axis of a sandbox: its clock, its timeline, and what an object waits for.
import type { ChangedClock, ClockFacts, PatchClock } from "../index.ts";
import { secondsOf, UsageError } from "./values.ts";
import { type CommandHandler, runSubcommand, optional, printJson, table } from "./print.ts";
import type { Run } from "./command-run.ts";
import { sandboxOf } from "./find-sandbox.ts";

export const timeCommands: Readonly<Record<string, CommandHandler>> = {
  timeline: async (run) => {
    const id = await sandboxOf(run);
    const named = ["resource", "namespace", "name", "user", "since", "until"] as const;
    const query = Object.fromEntries(
      named.flatMap((option) => (run.text(option) === undefined ? [] : [[option, run.text(option)]])),
    );
    const auditId = run.text("audit-id");
    const all = { ...query, ...optional("auditId", auditId) };
    if (run.has("json")) return printJson(run, await run.client.time.getTimeline(id, all));
    run.print(await run.client.time.timelineText(id, all));
  },
  why: async (run) => {
    const [word = "", second] = run.words;
    const slash = word.indexOf("/");
    const [resource, name] = slash < 0 ? [word, second] : [word.slice(0, slash), word.slice(slash + 1)];
    if (!name) throw new UsageError("name an object, such as pod/web-1");
    const [id, namespace] = [await sandboxOf(run), run.text("namespace")];
    const reasons = await run.client.time.getWhy(id, resource, name, namespace);
    if (run.has("json")) printJson(run, reasons);
    else run.print(await run.client.time.whyText(id, resource, name, namespace));
  },
  clock: (run) => runSubcommand(run, { show, pause, run: goOn, speed, advance, until }),
};

async function show(run: Run): Promise<void> {
  printClock(run, await run.client.time.getClock(await sandboxOf(run)));
}

function pause(run: Run): Promise<void> {
  return change(run, { state: "paused" });
}

function goOn(run: Run): Promise<void> {
  return change(run, { state: "running" });
}

function speed(run: Run): Promise<void> {
  const factor = Number(word(run, 0, "a factor from 0.1 to 1000"));
  return change(run, { speed: factor });
}

/** Advances the cluster's time, in parts, so that no request takes long. */
async function advance(run: Run): Promise<void> {
  const duration = word(run, 0, "a duration such as 90s, 24h or 7d");
  const id = await sandboxOf(run);
  const ms = secondsOf(duration, "the duration") * 1000;
  const { now } = await run.client.time.getClock(id);
  await runUntil(run, id, { runUntil: new Date(Date.parse(now) + ms).toISOString() });
}

/** Parses `until quiet`, `until <time>`, or `until <resource>/<name> <expression>`. */
async function until(run: Run): Promise<void> {
  const what = word(run, 0, "quiet, a time, or a resource and a name");
  const id = await sandboxOf(run);
  const limit = run.text("limit");
  const bounded = limit === undefined ? {} : { limit: { simulated: limit } };
  const slash = what.indexOf("/");
  if (slash < 0) return runUntil(run, id, { runUntil: what, ...bounded });
  const object = {
    resource: what.slice(0, slash),
    namespace: run.text("namespace") ?? "default",
    name: what.slice(slash + 1),
    expression: word(run, 1, "an expression over object"),
  };
  await runUntil(run, id, { runUntil: object, ...bounded });
}

async function runUntil(run: Run, id: string, input: PatchClock): Promise<void> {
  const events = new Map<string, number>();
  let [simulatedMs, realMs, changes] = [0, 0, 0];
  for (;;) {
    const changed = await run.client.time.changeClock(id, input);
    if (!changed.run) return;
    simulatedMs += changed.run.simulatedMs;
    realMs += changed.run.realMs;
    changes += changed.run.changes;
    for (const [reason, count] of Object.entries(changed.run.events))
      events.set(reason, (events.get(reason) ?? 0) + count);
    if (changed.run.end === "realLimit" && !run.signal.aborted) {
      run.say(`it is ${changed.now}; ${changes} changes so far`);
      continue;
    }
    const all = { ...changed.run, simulatedMs, realMs, changes, events: Object.fromEntries(events) };
    return printRun(run, { ...changed, run: all });
  }
}

async function change(run: Run, input: PatchClock): Promise<void> {
  printClock(run, await run.client.time.changeClock(await sandboxOf(run), input));
}

function printClock(run: Run, { now, state, speed: factor }: ClockFacts): void {
  if (run.has("json")) return printJson(run, { now, state, speed: factor });
  run.print(`${now} ${state}${factor === 1 ? "" : ` at ${factor} times the speed`}\n`);
}

const ends = {
  time: "",
  quiet: ": nothing changes any more",
  condition: ": the condition holds",
  simulatedLimit: ": the limit of simulated time is reached",
  realLimit: ": interrupted",
} as const;

function printRun(run: Run, changed: ChangedClock): void {
  if (run.has("json")) return printJson(run, changed);
  printClock(run, changed);
  if (!changed.run) return;
  const { simulatedMs, realMs, end, changes, events } = changed.run;
  run.say(`${simulatedMs / 1000} s in ${realMs / 1000} s, ${changes} changes${ends[end]}`);
  const rows = Object.entries(events).map(([reason, count]) => [reason, String(count)]);
  if (rows.length > 0) run.print(table(["EVENT", "COUNT"], rows));
}

function word(run: Run, at: number, what: string): string {
  const argument = run.words[at];
  if (argument === undefined) throw new UsageError(`name ${what}`);
  return argument;
}
