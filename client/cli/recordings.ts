// The commands `record`, `replay` and `capture`.
import { createWriteStream } from "node:fs";
import { capture } from "../recording/capture.ts";
import { openCluster } from "../recording/proxy.ts";
import { parseRecording, type Recording, RecordingError } from "../recording/recording.ts";
import { replay, type Replayed } from "../recording/replay.ts";
import { replacing, Sender, type Target } from "../recording/sender.ts";
import type { Run } from "./command-run.ts";
import { readInput, secondsOf, UsageError } from "./values.ts";
import { optional } from "./print.ts";
import { idOf, sandboxOf } from "./find-sandbox.ts";

/** The bytes of objects that the creation of a sandbox takes; further ones are created one by one. */
const importBytes = 2_500_000;
const captureBytes = 64 * 1024 * 1024;
const mostCaptureSeconds = 24 * 3600;
const shownRefusals = 20;

export async function record(run: Run): Promise<void> {
  const [word] = run.words;
  const id = word === undefined ? await sandboxOf(run) : await idOf(run.client, word);
  const query = {
    ...optional("since", run.text("since")),
    ...optional("until", run.text("until")),
    ...optional("user", run.text("user")),
  };
  const output = outputOf(run);
  for await (const bytes of await run.client.time.recordSandbox(id, query)) output.write(bytes);
  await output.end();
}

export async function replayFile(run: Run): Promise<number | undefined> {
  const speed = speedOf(run.text("speed"));
  const recording = readRecording(run.words[0] ?? "");
  if (recording.isCut) run.say("the recording was cut at its bound: what came later is not in it");
  const named = run.text("sandbox");
  const id = named === undefined ? await newSandbox(run, recording) : await idOf(run.client, named);
  const target = await targetOf(run, id);
  const [fromMs, untilMs] = [
    timeOf(run, "from") ?? Number.NEGATIVE_INFINITY,
    timeOf(run, "until") ?? Number.POSITIVE_INFINITY,
  ];
  const isVerbose = run.has("verbose");
  const { signal } = run;
  const progress = ({ at, verb, path, user = "" }: Recording["requests"][number]) => {
    if (isVerbose) run.say(`${at} ${verb} ${path} ${user}`.trimEnd());
  };
  const done = await replay(recording, { id, time: run.client.time, target, speed, fromMs, untilMs, signal, progress });
  return finished(run, id, done);
}

async function targetOf({ client }: Run, id: string): Promise<Target> {
  const { token } = await client.getSandbox(id);
  if (token === undefined) throw new UsageError("the API key cannot connect to sandboxes: it lacks sandboxes:connect");
  const url = client.clusterUrl(id);
  return (path, init) =>
    fetch(`${url}${path}`, { ...init, headers: { ...init.headers, authorization: `Bearer ${token}` } });
}

function finished(run: Run, id: string, { sent, refused, next }: Replayed): number | undefined {
  for (const { line, at, reason } of refused.slice(0, shownRefusals))
    run.say(`line ${line} (${at}) was refused: ${reason}`);
  if (refused.length > shownRefusals) run.say(`and ${refused.length - shownRefusals} more`);
  run.say(`${sent} requests were sent, ${refused.length} of them refused`);
  if (next !== undefined)
    run.say(`it stopped, and the sandbox's clock is paused; to go on: --sandbox ${id} --from ${next}`);
  return refused.length > 0 ? 1 : undefined;
}

/** Creates the sandbox that a recording drives, with the objects that it begins with, and prints its kubeconfig. */
async function newSandbox(run: Run, { header, requests }: Recording): Promise<string> {
  const objects = requests.filter(({ verb }) => verb === "exists");
  const ttl = run.text("ttl");
  const options = {
    ...optional("name", run.text("name")),
    ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }),
  };
  if (header.of === "requests") return created(run, options);
  let left = importBytes;
  const cut = objects.findIndex(({ body }) => (left -= Buffer.byteLength(JSON.stringify(body))) < 0);
  const first = cut < 0 ? objects : objects.slice(0, cut);
  const items = first.map(({ body }) => body);
  const list = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  // Nothing but the recording changes what was captured.
  const id = await created(run, {
    ...options,
    nodes: 0,
    controllers: "off",
    systemPods: false,
    images: "any",
    import: list,
  });
  const sender = new Sender(await targetOf(run, id), header, requests);
  // Admission taints new nodes, and no controller takes the taint away.
  const nodes = first.flatMap((request) => (request.path === "/api/v1/nodes" ? replacing(request) : []));
  for (const request of [...nodes, ...objects.slice(first.length)]) {
    const reason = await sender.send(request);
    if (reason !== undefined && run.has("verbose")) run.say(`line ${request.line} did not come: ${reason}`);
  }
  return id;
}

async function created(run: Run, options: Parameters<Run["client"]["createSandbox"]>[0]): Promise<string> {
  const sandbox = await run.client.createSandbox(options);
  run.say(`sandbox ${sandbox.id} (${sandbox.name}) until ${sandbox.expiresAt}`);
  if (run.has("verbose"))
    for (const { kind, namespace, name, reason } of sandbox.notImported ?? [])
      run.say(`${kind} ${namespace ? `${namespace}/` : ""}${name} did not come as it was: ${reason}`);
  run.print(await run.client.getKubeconfig(sandbox.id));
  return sandbox.id;
}

export async function captureCluster(run: Run): Promise<void> {
  const seconds = secondsOf(run.text("for") ?? "10m", "--for");
  if (seconds > mostCaptureSeconds) throw new UsageError("--for must be at most 1d");
  const words = ["kubeconfig", "context"].flatMap((option) => {
    const value = run.text(option);
    return value === undefined ? [] : [`--${option}=${value}`];
  });
  const cluster = await openCluster({ kubectl: run.text("kubectl") ?? "kubectl", arguments: words });
  const over = AbortSignal.any([run.signal, AbortSignal.timeout(seconds * 1000)]);
  const output = outputOf(run);
  try {
    const done = await capture({
      cluster,
      source: run.text("context") ?? "a cluster",
      namespace: run.text("namespace"),
      mostBytes: captureBytes,
      signal: over,
      write: output.write,
      say: run.say,
    });
    run.say(`${done.objects} objects, ${done.changes} changes${done.isCut ? ": the file is full" : ""}`);
  } finally {
    cluster.close();
    await output.end();
  }
}

function readRecording(path: string): Recording {
  try {
    return parseRecording(readInput(path));
  } catch (error) {
    if (error instanceof RecordingError) throw new UsageError(`${path}: ${error.message}`);
    throw error;
  }
}

/** Writes to the file of `--output`, or prints. */
function outputOf(run: Run): { write(text: string | Uint8Array): void; end(): Promise<void> } {
  const path = run.text("output");
  if (path === undefined) return { write: run.print, end: async () => undefined };
  const file = createWriteStream(path);
  const failed = new Promise<never>((_, fail) => void file.on("error", fail));
  failed.catch(() => undefined);
  const ended = () => new Promise<void>((done) => void file.end(done));
  return { write: (text) => void file.write(text), end: () => Promise.race([ended(), failed]) };
}

function speedOf(text: string | undefined): number | "max" {
  if (text === undefined || text === "max") return text ?? 1;
  const speed = Number(text);
  if (!(speed >= 0.1 && speed <= 1000)) throw new UsageError("--speed must be a factor from 0.1 to 1000, or max");
  return speed;
}

function timeOf(run: Run, option: string): number | undefined {
  const text = run.text(option);
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new UsageError(`--${option} must be a time such as 2026-01-31T12:00:00Z`);
  return ms;
}
