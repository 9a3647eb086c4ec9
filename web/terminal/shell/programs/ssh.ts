// `ssh` to a node of the cluster: a shell among the node's own files, through the kubelet's part of the API.
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import { editDone, editLines, type EditRequest, takeRequest } from "../../../../shared/shell/remote-edit.ts";
import { protocols, runRemotely } from "../../../kubectl/cluster/remote-command.ts";
import { asError, type Status } from "../../../kubectl/errors.ts";
import { listAt, nameOf } from "../../../kubectl/object.ts";
import type { Keyboard } from "../../../kubectl/surroundings.ts";
import { optionsOf, type ProgramCall, type Programs } from "../program.ts";
import { Failure } from "../failure.ts";
import { Interrupted, readAll } from "../streams.ts";

export const sshPrograms: Programs = { ssh };

/** The exit code of ssh's own errors. */
const sshFailed = 255;

async function ssh(call: ProgramCall): Promise<number> {
  const at = call.args.findIndex(
    (arg, index) => !arg.startsWith("-") && !/^-[lpiFo]$/.test(call.args[index - 1] ?? ""),
  );
  const options = optionsOf(at < 0 ? call.args : call.args.slice(0, at), "l:p:i:F:o:tTqv46AX");
  if (at < 0) throw new Failure("usage: ssh [-l user] destination [command ...]", sshFailed);
  const destination = call.args[at] ?? "";
  const name = await nodeNamed(call, destination.replace(/^.*@/, ""));
  const words = call.args.slice(at + 1);
  const { keyboard } = call.shell.machine;
  const isTerminal = (words.length === 0 || options.has("t")) && call.input.isTerminal && call.out.isTerminal;
  const command = words.length > 0 ? ["bash", "-c", words.join(" ")] : ["bash", "-l"];
  const session =
    isTerminal && keyboard
      ? { keyboard }
      : { input: call.input.isTerminal ? "" : await readAll(call.input, call.signal) };
  const status = await openSession(call, name, command, session);
  if (call.signal.aborted) throw new Interrupted();
  if (words.length === 0) call.err.write(`Connection to ${name} closed.\n`);
  return exitCodeOf(status);
}

/** Returns the name of a node by its name or address. */
async function nodeNamed(call: ProgramCall, host: string): Promise<string> {
  const answer = await call.shell.machine.kubectl.surroundings
    .fetch("/api/v1/nodes", { signal: call.signal })
    .catch((error: unknown) => {
      throw new Failure(`connect to host ${host} port 22: ${asError(error).message}`, sshFailed);
    });
  // While the API server is down, the name is taken as it is.
  if (answer.status === 503) return host;
  if (!answer.ok) throw new Failure(`${host}: Permission denied (publickey).`, sshFailed);
  const items = listAt((await answer.json()) as JsonObject, "items");
  const node = items.find(
    (item) => nameOf(item) === host || listAt(item, "status", "addresses").some(({ address }) => address === host),
  );
  if (!node) throw new Failure(`Could not resolve hostname ${host}: Name or service not known`, sshFailed);
  return nameOf(node);
}

type Input =
  | { readonly keyboard: Keyboard; readonly input?: undefined }
  | { readonly keyboard?: undefined; readonly input: string };

async function openSession(
  call: ProgramCall,
  node: string,
  command: readonly string[],
  { keyboard, input }: Input,
): Promise<Status | undefined> {
  const query = new URLSearchParams(command.map((word): [string, string] => ["command", word]));
  query.append("stdin", "true");
  query.append("stdout", "true");
  query.append(keyboard ? "tty" : "stderr", "true");
  const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/exec?${query.toString()}`;
  const { surroundings } = call.shell.machine.kubectl;
  const decoder = new TextDecoder();
  const errors = new TextDecoder();
  const editing = keyboard && new RemoteEditing(call, keyboard);
  const print = (text: string) => call.out.write(text);
  try {
    return await runRemotely({
      socket: surroundings.socket(path, protocols),
      ...(editing ? { keyboard: editing.keyboard } : { input: input ?? "" }),
      sizes: keyboard !== undefined,
      out: (bytes) => {
        const text = decoder.decode(bytes, { stream: true });
        if (editing) editing.print(text);
        else print(text);
      },
      err: (bytes) => call.err.write(errors.decode(bytes, { stream: true })),
      signal: call.signal,
    });
  } catch {
    // A refused WebSocket carries no error, so the same request is sent without the upgrade.
    const answer = await surroundings.fetch(path, { signal: call.signal });
    const { message = "" } = (await answer.json().catch(() => ({}))) as { message?: string };
    throw new Failure(`connect to host ${node} port 22: ${message || "Connection refused"}`, sshFailed);
  }
}

/** Watches the output of a session for requests to edit a file, and types the new text. */
class RemoteEditing {
  readonly keyboard: Keyboard;
  readonly #call: ProgramCall;
  #held = "";
  #isTyping = false;
  #type: (text: string) => void = () => undefined;

  constructor(call: ProgramCall, keyboard: Keyboard) {
    this.#call = call;
    this.keyboard = {
      listen: (on, until, isRaw) => {
        const encoder = new TextEncoder();
        this.#type = (text) => on.keys(encoder.encode(text));
        keyboard.listen(on, until, isRaw);
      },
    };
  }

  print(text: string): void {
    this.#held += text;
    if (this.#isTyping) {
      const at = this.#held.indexOf(editDone);
      if (at < 0) return;
      this.#held = this.#held.slice(at + editDone.length);
      this.#isTyping = false;
    }
    const taken = takeRequest(this.#held);
    if (taken === "open") return;
    this.#call.out.write(taken ? taken.before : this.#held);
    this.#held = taken ? taken.after : "";
    if (!taken) return;
    this.#isTyping = true;
    void this.#edited(taken.request).then((next) => this.#type(editLines(next).replaceAll("\n", "\r")));
  }

  /** Returns the new text; undefined if nothing was saved. */
  async #edited({ text, path: name, program }: EditRequest): Promise<string | undefined> {
    try {
      return await this.#call.shell.machine.device.edit(text, { name, program });
    } catch {
      return undefined;
    }
  }
}

function exitCodeOf(status: Status | undefined): number {
  if (!status) return sshFailed;
  if ((status as { status?: string }).status === "Success") return 0;
  const code = status.details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  return code === undefined ? sshFailed : Number(code);
}
