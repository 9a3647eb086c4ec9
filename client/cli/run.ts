// What each command does, over the client.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type CreateSandbox, type Sandbox, type SandboxWithToken, Sandbar, SandbarError } from "../index.ts";
import { classDeeds } from "./classes.ts";
import { type Command, commands, parseOptions, usage, usageOf } from "./commands.ts";
import type { Run, Surroundings } from "./command-run.ts";
import { completion } from "./completion.ts";
import { dev } from "./dev.ts";
import { hosted } from "./hosted.ts";
import { hostedPages } from "./hosted-pages.ts";
import { imagesGiven } from "./images-given.ts";
import { type Deed, optional, printJson, table } from "./print.ts";
import { apiKey, labelsOf, numberOf, readGiven, secondsOf, textOf, UsageError } from "./given.ts";
import { type Manifests, manifestsOf, sending } from "./manifests.ts";
import { operatorDeeds } from "./operator.ts";
import { peopleDeeds } from "./people.ts";
import { idOf } from "./sandbox-of.ts";
import { timeDeeds } from "./time.ts";

/** Where something was refused, cannot be reached, or differs. */
const refused = 1;
const wrongCommand = 2;
const notReady = 3;

/** Returns the exit code. */
export async function runCommand(given: readonly string[], around: Surroundings): Promise<number> {
  const [word = "help", ...rest] = given;
  if (["help", "--help", "-h"].includes(word)) {
    around.print(`${usage()}\n`);
    return given.length === 0 ? wrongCommand : 0;
  }
  try {
    const name = word === "--version" ? "version" : word;
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    const does = Object.hasOwn(deeds, name) ? deeds[name] : undefined;
    if (!command || !does) throw new UsageError(`there is no command ${JSON.stringify(word)}: see sandbar --help`);
    const run = read(rest, command, around);
    if (run.has("help")) {
      around.print(`${usageOf(name, command)}\n`);
      return 0;
    }
    return (await does(run)) ?? 0;
  } catch (error) {
    if (error instanceof UsageError) {
      around.say(error.message);
      return wrongCommand;
    }
    if (!(error instanceof SandbarError)) throw error;
    around.say(hintOf(error));
    return refused;
  }
}

function read(given: readonly string[], command: Command, around: Surroundings): Run {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...given], options: parseOptions(command), allowPositionals: true });
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
  const texts = (option: string) => [values[option] ?? []].flat().filter((one) => typeof one === "string");
  const url = text("server");
  const key = apiKey(around.environment, around.folder);
  const client = new Sandbar({ ...(url ? { url } : {}), ...(key ? { key } : {}) });
  return { ...around, client, words, text, texts, has: (option) => values[option] === true };
}

const deeds: Readonly<Record<string, Deed>> = {
  ...hosted,
  ...hostedPages,
  ...classDeeds,
  ...timeDeeds,
  ...operatorDeeds,
  create,
  list: async (run) => {
    const filter = { labels: labelsOf(run.texts("label")), ...optional("name", run.text("name")) };
    const all: Sandbox[] = [];
    for await (const one of run.client.allSandboxes(filter)) all.push(one);
    if (run.has("json")) return printJson(run, all);
    run.print(table(["ID", "NAME", "NODES", "EXPIRES", "LABELS"], all.map(cells)));
  },
  get: async (run) => {
    const found = await run.client.getSandbox(await named(run));
    if (run.has("json")) return printJson(run, found);
    const { id, name, nodes, createdAt, expiresAt, server } = found;
    const lines = Object.entries({ id, name, labels: labelText(found), nodes, createdAt, expiresAt, server });
    run.print(lines.map(([field, value]) => `${field}: ${value}\n`).join(""));
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
    const ttlSeconds = secondsOf(required(run, "ttl"));
    const changed = await run.client.changeSandbox(await named(run), { ttlSeconds });
    if (run.has("json")) return printJson(run, changed);
    run.say(`${changed.id} ends at ${changed.expiresAt}`);
  },
  reset: async (run) => {
    const id = await named(run);
    const rotateToken = run.has("rotate-token");
    told(run, await run.client.resetSandbox(id, { rotateToken }), "set back to what it was made of");
    if (rotateToken) run.say(`its token was replaced: sandbar kubeconfig ${id} has the new one`);
  },
  rotate: async (run) => {
    const rotated = await run.client.rotateToken(await named(run), { all: run.has("all") });
    if (run.has("json")) return printJson(run, rotated);
    run.say(`the token of ${rotated.id} (${rotated.name}) was replaced; the one before is refused`);
    if (rotated.token !== undefined) run.print(await run.client.getKubeconfig(rotated.id));
  },
  kubeconfig: async (run) => run.print(await run.client.getKubeconfig(await named(run), run.text("at"))),
  snapshot: async (run) => {
    const input = { ...optional("name", run.text("name")), ...optional("note", run.text("note")), ...revisionOf(run) };
    const made = await run.client.createSnapshot(await named(run), input);
    if (run.has("json")) return printJson(run, made);
    run.print(`${made.id}\n`);
  },
  snapshots: async (run) => {
    const sandbox = run.words.length > 0 ? { sandbox: await named(run) } : {};
    const all = [];
    for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page++) {
      const found = await run.client.listSnapshots({ ...sandbox, ...optional("cursor", cursor) });
      all.push(...found.snapshots);
      cursor = found.nextCursor;
    }
    if (run.has("json")) return printJson(run, all);
    const rows = all.map((one) => [one.id, one.name, one.sandbox.name, String(one.revision), one.createdAt, one.note]);
    run.print(table(["ID", "NAME", "SANDBOX", "REVISION", "CREATED", "NOTE"], rows));
  },
  fork: async (run) => {
    const ttl = run.text("ttl");
    const labels = labelsOf(run.texts("label"));
    const input = {
      ...optional("name", run.text("name")),
      ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl) }),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
      ...optional("snapshot", run.text("snapshot")),
      ...revisionOf(run),
    };
    await made(run, await run.client.forkSandbox(await named(run), input));
  },
  restore: async (run) => {
    const from = { ...optional("snapshot", run.text("snapshot")), ...revisionOf(run) };
    if (Object.keys(from).length !== 1) throw new UsageError("give --snapshot or --revision");
    told(run, await run.client.restoreSandbox(await named(run), from), "restored");
  },
  undo: async (run) => {
    const undone = await run.client.undo(await named(run), { dryRun: run.has("dry-run") });
    if (run.has("json")) return printJson(run, undone);
    const { user, verb, changes, objects, revision } = undone;
    run.say(`${revision === undefined ? "would take" : "took"} back a ${verb} of ${user}, ${changes} changes in all:`);
    for (const { change, resource, namespace, name } of objects)
      run.print(`${change} ${resource} ${namespace ? `${namespace}/` : ""}${name}\n`);
  },
  diff: async (run) => {
    const [id, from, to] = [await named(run), required(run, "from"), run.text("to") ?? "now"];
    if (run.has("json")) {
      const found = await run.client.diffStates(id, from, to);
      printJson(run, found);
      return found.objects.length > 0 ? refused : 0;
    }
    const text = await run.client.diffText(id, from, to);
    run.print(text);
    return text === "" ? 0 : refused;
  },
  export: async (run) => {
    const id = await named(run);
    const written = run.has("state") ? await run.client.exportState(id) : await run.client.exportSandbox(id);
    const path = run.text("output");
    if (path === undefined) run.print(written);
    else writeFileSync(path, written);
  },
  lesson: async (run) => {
    // It compiles expressions: only who asks for it loads that.
    const { lessonCommand } = await import("./lesson.ts");
    return lessonCommand(run);
  },
  image: async (run) => {
    // The parsers of Dockerfiles and YAML are loaded only by the command that needs them.
    const { imageCommand } = await import("./image.ts");
    return imageCommand(run);
  },
  tunnel: async (run) => {
    // It needs more of Node than the rest: only who asks for it loads it.
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
  ...peopleDeeds,
};

async function create(run: Run): Promise<number | undefined> {
  const { client } = run;
  const ttl = run.text("ttl");
  const waitSeconds = run.text("wait-seconds");
  const creating = {
    wait: run.has("wait"),
    ...(waitSeconds === undefined ? {} : { waitSeconds: numberOf(waitSeconds, "--wait-seconds") }),
    ...optional("idempotencyKey", run.text("idempotency-key")),
  };
  const named = { ...optional("name", run.text("name")), ...(ttl === undefined ? {} : { ttlSeconds: secondsOf(ttl) }) };
  const state = run.text("state");
  const manifests = manifestsOf(state === undefined ? run.texts("file") : []);
  const given = state === undefined ? { ...named, ...asked(run, manifests), ...(await imagesGiven(run)) } : named;
  const sandbox =
    state === undefined
      ? await sending(manifests, () => client.createSandbox(given, creating))
      : await client.createSandboxOfState(new Uint8Array(readGiven(state)), named, creating);
  await made(run, sandbox);
  const lacking = sandbox.notReady ?? [];
  for (const { kind, namespace, name, reason } of lacking)
    run.say(`${kind} ${namespace}/${name} is not ready: ${reason}`);
  for (const { kind, namespace, name, reason } of sandbox.notImported ?? [])
    run.say(`${kind} ${namespace ? `${namespace}/` : ""}${name} was not imported as it was: ${reason}`);
  return lacking.length > 0 ? notReady : undefined;
}

function asked(run: Run, { text: manifests, pieces }: Manifests): CreateSandbox {
  const [nodes, speed, controllers, imported] = ["nodes", "kubelet-speed", "controllers", "import"].map(run.text);
  const seed = run.text("seed");
  const labels = labelsOf(run.texts("label"));
  return {
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
    ...(nodes === undefined ? {} : { nodes: numberOf(nodes, "--nodes") }),
    ...(seed === undefined ? {} : { seed: numberOf(seed, "--seed") }),
    ...(pieces.length > 0 ? { manifests } : {}),
    ...(imported === undefined ? {} : { import: textOf(imported) }),
    ...optional("snapshot", run.text("snapshot")),
    ...optional("template", run.text("template")),
    ...optional("serviceCidr", run.text("service-cidr")),
    ...optional("podCidr", run.text("pod-cidr")),
    ...gatesOf(run.text("feature-gates")),
    ...(speed === undefined ? {} : { kubeletSpeed: speed === "real" || speed === "zero" ? speed : factorOf(speed) }),
    ...(controllers === undefined
      ? {}
      : { controllers: controllers === "on" || controllers === "off" ? controllers : controllers.split(",") }),
  };
}

/** `WatchList=false,HostnameOverride=true`. */
function gatesOf(text: string | undefined): Pick<CreateSandbox, "featureGates"> {
  if (text === undefined) return {};
  const entries = text.split(",").map((one): [string, boolean] => {
    const [, name = "", value] = /^\s*([^=]+?)\s*=\s*(true|false)\s*$/.exec(one) ?? [];
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

/** The kubeconfig is what is asked for; what it is of is said beside it. */
async function made(run: Run, sandbox: SandboxWithToken): Promise<void> {
  if (run.has("json")) return printJson(run, sandbox);
  run.say(`sandbox ${sandbox.id} (${sandbox.name}) until ${sandbox.expiresAt}`);
  for (const { user, token } of sandbox.users ?? []) run.say(`token of ${user}: ${token}`);
  run.print(await run.client.getKubeconfig(sandbox.id));
}

function named(run: Run): Promise<string> {
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

function told(run: Run, { revision }: { readonly revision: number }, what: string): void {
  if (run.has("json")) printJson(run, { revision });
  else run.say(`${what}: now at revision ${revision}`);
}

function cells(one: Sandbox): string[] {
  return [one.id, one.name, String(one.nodes), one.expiresAt, labelText(one)];
}

function labelText({ labels }: Sandbox): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

function hintOf({ status, code, message: first, errors, requestId }: SandbarError): string {
  const message = errors.length > 1 ? errors.map(({ detail }) => detail).join("\n") : first;
  if (status >= 500 && requestId !== undefined) return `${message} (request ${requestId})`;
  if (status === 401) return `${message} (set SANDBAR_API_KEY, or go where .sandbar/api-key is)`;
  return code === "unreachable" ? `${message} (SANDBAR_URL says where the service is)` : message;
}
