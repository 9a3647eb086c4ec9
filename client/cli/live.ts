// Commands that follow the events of sandboxes.
import { type EventsQuery, type PatchSandbox, SandbarError, type SandboxEvent } from "../index.ts";
import type { Run } from "./command-run.ts";
import { idOf } from "./find-sandbox.ts";
import { type CommandHandler, optional, printJson, requiredWord } from "./print.ts";
import { versionOf } from "./kubernetes-version.ts";
import { labelsOf, numberOf, secondsOf, UsageError } from "./values.ts";

/** The exit code if the awaited event does not happen in time. */
const notInTime = 3;

export const liveCommands: Readonly<Record<string, CommandHandler>> = { events, update, wait };

/** Prints events as they happen: a line of JSON or of text for each. */
async function events(run: Run): Promise<void> {
  const [sandbox, after, type] = [run.text("sandbox"), run.text("after"), run.texts("type")];
  const query: EventsQuery = {
    ...(sandbox === undefined ? {} : { sandbox: await idOf(run.client, sandbox) }),
    ...(after === undefined ? {} : { after: numberOf(after, "--after") }),
    ...(type.length === 0 ? {} : { type: [...type] as NonNullable<EventsQuery["type"]> }),
  };
  for await (const event of run.client.events.followEvents(query, run.signal))
    run.print(run.has("json") ? `${JSON.stringify(event)}\n` : lineOf(event));
}

function lineOf({ id, timestamp, type, data: { sandbox, lesson, limit } }: SandboxEvent): string {
  const of = sandbox ? `${sandbox.id} ${sandbox.name} ${sandbox.phase}` : "";
  const learner = lesson ? `${lesson.name} ${lesson.learner} step ${lesson.step}` : "";
  return `${[id, timestamp, type, of, learner, limit].filter(Boolean).join(" ")}\n`;
}

async function update(run: Run): Promise<void> {
  const [ttl, nodes, labels] = [run.text("ttl"), run.text("nodes"), labelChangesIn(run.texts("label"))];
  const change: PatchSandbox = {
    ...optional("name", run.text("name")),
    ...optional("description", run.text("description")),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }),
    ...(nodes === undefined ? {} : { nodes: numberOf(nodes, "--nodes") }),
    ...versionOf(run),
  };
  if (Object.keys(change).length === 0) throw new UsageError("say what to change: see sandbar update --help");
  const changed = await run.client.changeSandbox(await idOf(run.client, requiredWord(run, "the sandbox")), change);
  if (run.has("json")) return printJson(run, changed);
  const { id, name: changedName, nodes: count, version, expiresAt } = changed;
  run.say(`${id} (${changedName}) has ${count} nodes, Kubernetes ${version} and ends at ${expiresAt}`);
}

/** Parses labels as kubectl does: `key=value` sets one, `key-` removes one. */
function labelChangesIn(words: readonly string[]): Record<string, string | null> {
  const removed = words.filter((word) => !word.includes("=") && word.endsWith("-"));
  const removals = removed.map((word): [string, null] => [word.slice(0, -1), null]);
  return { ...labelsOf(words.filter((word) => !removed.includes(word))), ...Object.fromEntries(removals) };
}

async function wait(run: Run): Promise<number> {
  const target = run.text("for") ?? "ready";
  if (target !== "ready" && target !== "ended") throw new UsageError("--for must be ready or ended");
  const id = await idOf(run.client, requiredWord(run, "the sandbox"));
  const signal = AbortSignal.any([
    run.signal,
    AbortSignal.timeout(secondsOf(run.text("timeout") ?? "5m", "--timeout") * 1000),
  ]);
  const end = await run.client.events.waitFor(id, target, signal);
  if (end !== undefined) run.say(end === "ready" ? `${id} is ready` : `${id} has ended`);
  if (end === "ended" && target === "ready")
    throw new SandbarError(410, { code: "expired", message: `${id} has ended` });
  if (end === undefined) run.say(`${id} is not ${target} yet`);
  return end === undefined ? notInTime : 0;
}
