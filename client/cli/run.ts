// Runs the commands with the client.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { SandboxField } from "../../shared/contract/sandbox-fields.ts";
import { type CreateSandbox, type Sandbox, type SandboxWithToken, Sandbar, SandbarError } from "../index.ts";
import type { Creating } from "../sandbox-options.ts";
import { classCommands } from "./classes.ts";
import { type Command, commands, parseOptions, usage, usageOf } from "./commands.ts";
import type { Run, Surroundings } from "./command-run.ts";
import { completion } from "./completion.ts";
import { dev } from "./dev.ts";
import { exportOrganisation } from "./export-organisation.ts";
import { hosted } from "./hosted.ts";
import { hostedPages } from "./hosted-pages.ts";
import { readImages } from "./read-images.ts";
import { type CommandHandler, optional, printJson, table } from "./print.ts";
import { apiKey, labelsOf, numberOf, readInput, secondsOf, textOf, UsageError } from "./values.ts";
import { type Manifests, manifestsOf, sending } from "./manifests.ts";
import { requireDefaultAuthorities } from "./node-version.ts";
import { operatorCommands } from "./operator.ts";
import { versionOf } from "./kubernetes-version.ts";
import { liveCommands } from "./live.ts";
import { readPages } from "./pages.ts";
import { peopleCommands } from "./people.ts";
import { idOf } from "./find-sandbox.ts";
import { timeCommands } from "./time.ts";

/** The exit code of a refused or failed request, and of `diff` with differences. */
const refused = 1;
const wrongCommand = 2;
const notReady = 3;

/** Runs a command line. Returns the exit code. */
export async function runCommand(commandLine: readonly string[], around: Surroundings): Promise<number> {
  const [word = "help", ...rest] = commandLine;
  if (["help", "--help", "-h"].includes(word)) {
    around.print(`${usage()}\n`);
    return commandLine.length === 0 ? wrongCommand : 0;
  }
  try {
    const name = word === "--version" ? "version" : word;
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
    if (!command || !handler) throw new UsageError(`there is no command ${JSON.stringify(word)}: see sandbar --help`);
    const run = read(rest, command, around);
    if (run.has("help")) {
      around.print(`${usageOf(name, command)}\n`);
      return 0;
    }
    return (await handler(run)) ?? 0;
  } catch (error) {
    if (error instanceof UsageError) {
      around.say(error.message);
      return wrongCommand;
    }
    if (!(error instanceof SandbarError)) throw error;
    around.say(errorText(error));
    return refused;
  }
}

function read(commandWords: readonly string[], command: Command, around: Surroundings): Run {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...commandWords], options: parseOptions(command), allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals: words } = parsed;
  const [least, most] = command.count;
  if (values["help"] !== true && (words.length < least || words.length > most)) {
    throw new UsageError(`it takes ${command.arguments || "no argument"}, not ${words.length} arguments`);
  }
  const text = (option: string) => {
    const value = values[option];
    return typeof value === "string" ? value : undefined;
  };
  const texts = (option: string) => [values[option] ?? []].flat().filter((value) => typeof value === "string");
  const url = text("server");
  const key = apiKey(around.environment, around.folder);
  const client = new Sandbar({ ...(url ? { url } : {}), ...(key ? { key } : {}) });
  return { ...around, client, words, text, texts, has: (option) => values[option] === true };
}

const handlers: Readonly<Record<string, CommandHandler>> = {
  ...hosted,
  ...hostedPages,
  ...classCommands,
  ...timeCommands,
  ...liveCommands,
  ...operatorCommands,
  create,
  list: async (run) => {
    const filter = { labels: labelsOf(run.texts("label")), ...optional("name", run.text("name")) };
    const all: Sandbox[] = [];
    for await (const sandbox of run.client.allSandboxes(filter)) all.push(sandbox);
    if (run.has("json")) return printJson(run, all);
    run.print(table(["ID", "NAME", "PHASE", "NODES", "VERSION", "EXPIRES", "LABELS"], all.map(cells)));
  },
  get: async (run) => {
    const sandbox = await run.client.getSandbox(await sandboxIdOf(run));
    if (run.has("json")) return printJson(run, sandbox);
    const { id, name, description, phase, nodes, version, createdAt, expiresAt, server } = sandbox;
    const labels = labelText(sandbox);
    const values = { id, name, description, labels, phase, nodes, version, createdAt, expiresAt, server };
    const lines = Object.entries(values satisfies Record<keyof Sandbox, string | number>);
    run.print(lines.map(([field, value]) => `${`${field}: ${value}`.trimEnd()}\n`).join(""));
  },
  delete: async (run) => {
    const labels = labelsOf(run.texts("label"));
    const isByLabel = Object.keys(labels).length > 0;
    if (isByLabel === run.words.length > 0) throw new UsageError("name sandboxes, or give --label");
    if (isByLabel) for (const id of await run.client.deleteSandboxes(labels)) run.say(`${id} is deleted`);
    for (const word of run.words) {
      const id = await idOf(run.client, word);
      await run.client.deleteSandbox(id);
      run.say(`${id} is deleted`);
    }
  },
  extend: async (run) => {
    const ttlSeconds = secondsOf(required(run, "ttl"), "--ttl");
    const changed = await run.client.changeSandbox(await sandboxIdOf(run), { ttlSeconds });
    if (run.has("json")) return printJson(run, changed);
    run.say(`${changed.id} ends at ${changed.expiresAt}`);
  },
  reset: async (run) => {
    const id = await sandboxIdOf(run);
    const rotateToken = run.has("rotate-token");
    printRevision(run, await run.client.resetSandbox(id, { rotateToken }), "set back to what it was made of");
    if (rotateToken) run.say(`its token was replaced: sandbar kubeconfig ${id} has the new one`);
  },
  rotate: async (run) => {
    const rotated = await run.client.rotateToken(await sandboxIdOf(run), { all: run.has("all") });
    if (run.has("json")) return printJson(run, rotated);
    run.say(`the token of ${rotated.id} (${rotated.name}) was replaced; the one before is refused`);
    if (rotated.token !== undefined) run.print(await run.client.getKubeconfig(rotated.id));
  },
  kubeconfig: async (run) => run.print(await run.client.getKubeconfig(await sandboxIdOf(run), run.text("at"))),
  snapshot: async (run) => {
    const input = { ...optional("name", run.text("name")), ...optional("note", run.text("note")), ...revisionOf(run) };
    const snapshot = await run.client.createSnapshot(await sandboxIdOf(run), input);
    if (run.has("json")) return printJson(run, snapshot);
    run.print(`${snapshot.id}\n`);
  },
  snapshots: async (run) => {
    const sandbox = run.words.length > 0 ? { sandbox: await sandboxIdOf(run) } : {};
    const all = await readPages(
      (page) => run.client.listSnapshots({ ...sandbox, ...page }),
      ({ snapshots }) => snapshots,
    );
    if (run.has("json")) return printJson(run, all);
    const rows = all.map((snapshot) => [
      snapshot.id,
      snapshot.name,
      snapshot.sandbox.name,
      String(snapshot.revision),
      snapshot.createdAt,
      snapshot.note,
    ]);
    run.print(table(["ID", "NAME", "SANDBOX", "REVISION", "CREATED", "NOTE"], rows));
  },
  fork: async (run) => {
    const input = {
      ...newSandboxOf(run),
      ...optional("snapshot", run.text("snapshot")),
      ...controllersOf(run),
      ...revisionOf(run),
    };
    await printCreated(run, await run.client.forkSandbox(await sandboxIdOf(run), input));
  },
  restore: async (run) => {
    const from = { ...optional("snapshot", run.text("snapshot")), ...revisionOf(run) };
    if (Object.keys(from).length !== 1) throw new UsageError("give --snapshot or --revision");
    printRevision(run, await run.client.restoreSandbox(await sandboxIdOf(run), from), "restored");
  },
  undo: async (run) => {
    const undone = await run.client.undo(await sandboxIdOf(run), { dryRun: run.has("dry-run") });
    if (run.has("json")) return printJson(run, undone);
    const { user, verb, changes, objects, revision } = undone;
    run.say(`${revision === undefined ? "would take" : "took"} back a ${verb} of ${user}, ${changes} changes in all:`);
    for (const { change, resource, namespace, name } of objects)
      run.print(`${change} ${resource} ${namespace ? `${namespace}/` : ""}${name}\n`);
  },
  diff: async (run) => {
    const [id, from, to] = [await sandboxIdOf(run), required(run, "from"), run.text("to") ?? "now"];
    if (run.has("json")) {
      const difference = await run.client.diffStates(id, from, to);
      printJson(run, difference);
      return difference.objects.length > 0 ? refused : 0;
    }
    const text = await run.client.diffText(id, from, to);
    run.print(text);
    return text === "" ? 0 : refused;
  },
  export: async (run) => {
    const id = await sandboxIdOf(run);
    const written = run.has("state") ? await run.client.exportState(id) : await run.client.exportSandbox(id);
    const path = run.text("output");
    if (path === undefined) run.print(written);
    else writeFileSync(path, written);
  },
  "export-organisation": exportOrganisation,
  lesson: async (run) => {
    // The expression compiler is loaded only by this command.
    const { lessonCommand } = await import("./lesson.ts");
    return lessonCommand(run);
  },
  image: async (run) => {
    // The parsers of Dockerfiles and YAML are loaded only by the command that needs them.
    const { imageCommand } = await import("./image.ts");
    return imageCommand(run);
  },
  node: async (run) => {
    requireDefaultAuthorities();
    // The codecs of certificates and YAML are loaded only by this command.
    const { nodeCommand } = await import("./node.ts");
    return nodeCommand(run);
  },
  tunnel: async (run) => {
    requireDefaultAuthorities();
    const { tunnel } = await import("./tunnel.ts");
    const word = run.words[0];
    const config = word === undefined ? undefined : await run.client.getKubeconfig(await idOf(run.client, word));
    const words = ["service", "to", "kubeconfig", "context"].flatMap((name) => {
      const value = run.text(name);
      return value === undefined ? [] : [`--${name}`, value];
    });
    await tunnel(words, config, run);
  },
  dev,
  completion: async (run) => {
    const text = completion(run.words[0] ?? "");
    if (text === undefined) throw new UsageError("there are completions for bash and zsh");
    run.print(text);
  },
  version: async (run) => run.print(`${run.version}\n`),
  ...peopleCommands,
};

async function create(run: Run): Promise<number | undefined> {
  const waitSeconds = run.text("wait-seconds");
  const createOptions = {
    wait: run.has("wait"),
    ...(waitSeconds === undefined ? {} : { waitSeconds: numberOf(waitSeconds, "--wait-seconds") }),
    ...optional("idempotencyKey", run.text("idempotency-key")),
  };
  const state = run.text("state");
  const sandbox =
    state === undefined
      ? await createOfFields(run, createOptions)
      : await createOfState(run, new Uint8Array(readInput(state)), createOptions);
  await printCreated(run, sandbox);
  const unreadyObjects = sandbox.notReady ?? [];
  for (const { kind, namespace, name, reason } of unreadyObjects)
    run.say(`${kind} ${namespace}/${name} is not ready: ${reason}`);
  for (const { kind, namespace, name, reason } of sandbox.notImported ?? [])
    run.say(`${kind} ${namespace ? `${namespace}/` : ""}${name} was not imported as it was: ${reason}`);
  return unreadyObjects.length > 0 ? notReady : undefined;
}

async function createOfFields(run: Run, createOptions: Creating): Promise<SandboxWithToken> {
  const manifests = manifestsOf(run.texts("file"));
  const creation = { ...newSandboxOf(run), ...creationOf(run, manifests), ...(await readImages(run)) };
  return sending(manifests, () => run.client.createSandbox(creation, createOptions));
}

/** The options of `create` that the state decides. */
const optionsOfState = [
  "file",
  "snapshot",
  "template",
  "import",
  "images",
  "kubernetes-version",
  "seed",
  "kubelet-speed",
  "controllers",
  "service-cidr",
  "pod-cidr",
  "feature-gates",
];

/** Creates a sandbox from a state, whose file is the body. The query has no labels and no nodes, so these are changed afterwards. */
async function createOfState(run: Run, state: Uint8Array<ArrayBuffer>, createOptions: Creating) {
  const ignored = optionsOfState.filter((option) => run.texts(option).length > 0).map((option) => `--${option}`);
  if (ignored.length > 0) throw new UsageError(`--state has these itself, so leave out ${ignored.join(", ")}`);
  const { labels, ...named } = newSandboxOf(run);
  const nodes = run.text("nodes");
  const change = {
    ...(labels === undefined ? {} : { labels }),
    ...(nodes === undefined ? {} : { nodes: numberOf(nodes, "--nodes") }),
  };
  const sandbox = await run.client.createSandboxOfState(state, named, createOptions);
  if (Object.keys(change).length === 0) return sandbox;
  try {
    return { ...sandbox, ...(await run.client.changeSandbox(sandbox.id, change)), token: sandbox.token };
  } catch (error) {
    // A sandbox without its label would not be found by the command that deletes it.
    await run.client.deleteSandbox(sandbox.id).catch(() => undefined);
    throw error;
  }
}

/** Returns the fields and the lifetime of a new sandbox from the command's options. */
function newSandboxOf(run: Run) {
  const [labels, ttl] = [labelsOf(run.texts("label")), run.text("ttl")];
  const fields = {
    name: optional("name", run.text("name")),
    description: optional("description", run.text("description")),
    labels: Object.keys(labels).length > 0 ? { labels } : {},
  } satisfies { readonly [Field in SandboxField]: Pick<CreateSandbox, Field> };
  const named = Object.values(fields).reduce<Pick<CreateSandbox, SandboxField>>(
    (all, field) => ({ ...all, ...field }),
    {},
  );
  return { ...named, ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl, "--ttl") }) };
}

function creationOf(run: Run, { text: manifests, pieces }: Manifests): CreateSandbox {
  const [nodes, speed, imported] = ["nodes", "kubelet-speed", "import"].map(run.text);
  const seed = run.text("seed");
  return {
    ...(nodes === undefined ? {} : { nodes: numberOf(nodes, "--nodes") }),
    ...(seed === undefined ? {} : { seed: numberOf(seed, "--seed") }),
    ...(pieces.length > 0 ? { manifests } : {}),
    ...(imported === undefined ? {} : { import: textOf(imported) }),
    ...optional("snapshot", run.text("snapshot")),
    ...optional("template", run.text("template")),
    ...versionOf(run),
    ...optional("serviceCidr", run.text("service-cidr")),
    ...optional("podCidr", run.text("pod-cidr")),
    ...gatesOf(run.text("feature-gates")),
    ...(speed === undefined ? {} : { kubeletSpeed: speed === "real" || speed === "zero" ? speed : factorOf(speed) }),
    ...controllersOf(run),
  };
}

function controllersOf(run: Run): Pick<CreateSandbox, "controllers"> {
  const text = run.text("controllers");
  if (text === undefined) return {};
  return { controllers: text === "on" || text === "off" ? text : text.split(",") };
}

/** Parses `WatchList=false,HostnameOverride=true`. */
function gatesOf(text: string | undefined): Pick<CreateSandbox, "featureGates"> {
  if (text === undefined) return {};
  const entries = text.split(",").map((gate): [string, boolean] => {
    const [, name = "", value] = /^\s*([^=]+?)\s*=\s*(true|false)\s*$/.exec(gate) ?? [];
    if (value === undefined) throw new UsageError("--feature-gates must be names with true or false: WatchList=false");
    return [name, value === "true"];
  });
  return { featureGates: Object.fromEntries(entries) };
}

function factorOf(text: string): number {
  const factor = Number(text);
  if (!Number.isFinite(factor)) throw new UsageError("--kubelet-speed must be real, zero, or a factor");
  return factor;
}

/** Prints the kubeconfig of a new sandbox, and its details as messages. */
async function printCreated(run: Run, sandbox: SandboxWithToken): Promise<void> {
  if (run.has("json")) return printJson(run, sandbox);
  run.say(`sandbox ${sandbox.id} (${sandbox.name}) until ${sandbox.expiresAt}`);
  for (const { user, token } of sandbox.users ?? []) run.say(`token of ${user}: ${token}`);
  run.print(await run.client.getKubeconfig(sandbox.id));
}

function sandboxIdOf(run: Run): Promise<string> {
  return idOf(run.client, run.words[0] ?? "");
}

function required(run: Run, option: string): string {
  const value = run.text(option);
  if (value === undefined) throw new UsageError(`--${option} is required`);
  return value;
}

function revisionOf(run: Run): { revision?: number } {
  const text = run.text("revision");
  return text === undefined ? {} : { revision: numberOf(text, "--revision") };
}

function printRevision(run: Run, { revision }: { readonly revision: number }, what: string): void {
  if (run.has("json")) printJson(run, { revision });
  else run.say(`${what}: now at revision ${revision}`);
}

function cells(sandbox: Sandbox): string[] {
  const { id, name, phase, nodes, version, expiresAt } = sandbox;
  return [id, name, phase, String(nodes), version, expiresAt, labelText(sandbox)];
}

function labelText({ labels }: Sandbox): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

function errorText({ status, code, message: first, errors, requestId }: SandbarError): string {
  const message = errors.length > 1 ? errors.map(({ detail }) => detail).join("\n") : first;
  if (status >= 500 && requestId !== undefined) return `${message} (request ${requestId})`;
  if (status === 401) return `${message} (set SANDBAR_API_KEY, or go where .sandbar/api-key is)`;
  return code === "unreachable" ? `${message} (SANDBAR_URL says where the service is)` : message;
}
