// `kubectl exec` and `kubectl attach`.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { protocols, runRemotely } from "../cluster/remote-command.ts";
import { type CommandCall, type Command, usageError } from "../command.ts";
import { type Flag, boolFlag, durationFlag, stringFlag } from "../flag.ts";
import { Exit, type Status } from "../errors.ts";
import { listAt, nameOf, namespaceOf, stringAt } from "../object.ts";
import { containerOf, objectNamed, podsOf } from "../resources/pods.ts";
import { fileFlags, select } from "../resources/select.ts";

const streamFlags: readonly Flag[] = [
  stringFlag("container", "Container name.", { short: "c" }),
  boolFlag("stdin", "Pass stdin to the container", { short: "i" }),
  boolFlag("tty", "Stdin is a TTY", { short: "t" }),
  boolFlag("quiet", "Only print output from the remote session", { short: "q" }),
  durationFlag("pod-running-timeout", "The length of time to wait until at least one pod is running", {
    default: "1m0s",
  }),
];

export const exec: Command = {
  name: "exec",
  use: "(POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...] [options]",
  short: "Execute a command in a container",
  completes: "pods",
  flags: [...streamFlags, ...fileFlags.slice(0, 1)],
  run: async (call) => {
    const { args, dash, flags } = call;
    const command = dash >= 0 ? args.slice(dash) : [];
    const hasFile = flags.list("filename").length > 0;
    if (dash < 0 && (args.length > 1 || (args.length > 0 && hasFile))) {
      throw usageError(call, "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead");
    }
    const name = dash !== 0 ? args[0] : undefined;
    if (name === undefined && !hasFile) throw new Error("pod, type/name or --filename must be specified");
    if (command.length === 0) throw new Error("you must specify at least one command for the container");
    const object = name === undefined ? await objectOfFile(call) : await objectNamed(call, name);
    const pod = await attachablePod(call, object ?? {});
    const phase = stringAt(pod, "status", "phase");
    if (phase === "Succeeded" || phase === "Failed")
      throw new Error(`cannot exec into a container in a completed pod; current phase is ${phase}`);
    const container = containerOf(call, pod, flags.text("container"), flags.bool("quiet"));
    await session(call, pod, "exec", {
      container,
      command,
      stdin: flags.bool("stdin"),
      tty: flags.bool("tty"),
      quiet: flags.bool("quiet"),
    });
  },
};

async function objectOfFile(call: CommandCall): Promise<JsonObject | undefined> {
  const { infos } = await select(call, { args: [] });
  if (infos.length > 1) throw new Error("cannot exec into multiple objects at a time");
  return infos[0]?.object;
}

export const attach: Command = {
  name: "attach",
  use: "(POD | TYPE/NAME) -c CONTAINER [options]",
  short: "Attach to a running container",
  completes: "pods",
  flags: [
    ...streamFlags,
    stringFlag("detach-keys", "Override the key sequence for detaching a container.", { default: "ctrl-p,ctrl-q" }),
  ],
  run: async (call) => {
    const { args, flags } = call;
    if (args.length === 0) throw new Error("at least 1 argument is required for attach");
    if (args.length > 2)
      throw new Error(
        `expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw ${args.length}: [${args.join(" ")}]`,
      );
    const object = await objectNamed(call, args.length === 2 ? args.join("/") : (args[0] ?? ""));
    await attachTo(call, await attachablePod(call, object), {
      stdin: flags.bool("stdin"),
      tty: flags.bool("tty"),
      quiet: flags.bool("quiet"),
      container: flags.text("container"),
    });
  },
};

export interface Attachment {
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
  readonly container: string;
}

export async function attachTo(
  call: CommandCall,
  pod: JsonObject,
  { stdin, tty, quiet, container: containerName }: Attachment,
): Promise<void> {
  const phase = stringAt(pod, "status", "phase");
  if (phase === "Succeeded" || phase === "Failed")
    throw new Error(`cannot attach a container in a completed pod; current phase is ${phase}`);
  const container = containerOf(call, pod, containerName, quiet);
  const isTty = tty && specOf(pod, container)?.tty === true;
  if (tty && !isTty && !quiet)
    call.streams.err(`error: Unable to use a TTY - container ${container} did not allocate one\n`);
  if (stdin && isTty && !quiet) call.streams.err("If you don't see a command prompt, try pressing enter.\n");
  await session(call, pod, "attach", { container, command: [], stdin, tty: isTty, quiet });
}

/** Returns the spec of a container from any of the pod's three lists. */
function specOf(pod: JsonObject, container: string): JsonObject | undefined {
  return ["containers", "initContainers", "ephemeralContainers"]
    .flatMap((list) => listAt(pod, "spec", list))
    .find(({ name }) => name === container);
}

async function attachablePod(call: CommandCall, object: JsonObject): Promise<JsonObject> {
  const [pod] = await podsOf(call, object, "attach");
  if (!pod) throw new Error("timed out waiting for the condition");
  return pod;
}

export interface Session {
  readonly container: string;
  readonly command: readonly string[];
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly quiet: boolean;
}

async function session(
  call: CommandCall,
  pod: JsonObject,
  verb: "exec" | "attach",
  { container, command, stdin, tty, quiet }: Session,
): Promise<void> {
  const { streams } = call;
  const isTty = tty && stdin && streams.keyboard !== undefined;
  if (tty && stdin && !isTty && !quiet)
    streams.err("Unable to use a TTY - input is not a terminal or the right kind of file\n");
  const input = stdin && !streams.keyboard ? await streams.input() : undefined;
  const decoders = { out: new TextDecoder(), err: new TextDecoder() };
  const status = await openSession(call, pod, verb, {
    container,
    command,
    tty: isTty,
    ...(stdin ? { keyboard: streams.keyboard, ...(input === undefined ? {} : { input }) } : {}),
    out: (bytes) =>
      streams.outBytes ? streams.outBytes(bytes) : streams.out(decoders.out.decode(bytes, { stream: true })),
    err: (bytes) => streams.err(decoders.err.decode(bytes, { stream: true })),
  });
  throwEnd(status);
}

export interface Opening {
  readonly container: string;
  readonly command: readonly string[];
  readonly tty: boolean;
  readonly keyboard?: CommandCall["streams"]["keyboard"];
  readonly input?: string | Uint8Array;
  out(bytes: Uint8Array): void;
  err(bytes: Uint8Array): void;
}

export async function openSession(
  call: CommandCall,
  pod: JsonObject,
  verb: "exec" | "attach",
  { container, command, tty, keyboard, input, out, err }: Opening,
): Promise<Status | undefined> {
  const hasInput = keyboard !== undefined || input !== undefined;
  const query = new URLSearchParams();
  for (const word of command) query.append("command", word);
  query.append("container", container);
  if (hasInput) query.append("stdin", "true");
  query.append("stdout", "true");
  query.append(tty ? "tty" : "stderr", "true");
  const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}/${verb}?${query.toString()}`;
  const socket = call.surroundings.socket(path, protocols);
  try {
    return await runRemotely({
      socket,
      keyboard,
      ...(input === undefined ? {} : { input }),
      sizes: tty,
      out,
      err,
      signal: call.streams.signal,
    });
  } catch (error) {
    // A refused WebSocket carries no error, so the same request is sent without the upgrade.
    await call.cluster.json(path);
    throw error;
  }
}

/** Throws the exit code of the command, or the server's error. */
export function throwEnd(status: Status | undefined): void {
  if (!status || (status as { status?: string }).status === "Success") return;
  if (status.reason === "NonZeroExitCode") {
    const code = Number(status.details?.causes?.find(({ reason }) => reason === "ExitCode")?.message ?? "1");
    throw new Exit(code, `command terminated with exit code ${code}`);
  }
  throw new Error(status.message ?? "");
}
