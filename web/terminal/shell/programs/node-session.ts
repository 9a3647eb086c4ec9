// Commands on a node of the cluster, through the kubelet's part of the API.
import { editDone, editLines, type EditRequest, takeRequest } from "../../../../shared/shell/remote-edit.ts";
import { protocols, runRemotely } from "../../../kubectl/cluster/remote-command.ts";
import type { Status } from "../../../kubectl/errors.ts";
import type { Keyboard } from "../../../kubectl/surroundings.ts";
import type { ProgramCall } from "../program.ts";
import { Failure } from "../failure.ts";

/** A command on a node, with the terminal's keyboard or a text as its input. */
export type NodeCommand = {
  readonly node: string;
  readonly command: readonly string[];
} & (
  | { readonly keyboard: Keyboard; readonly input?: undefined }
  | { readonly keyboard?: undefined; readonly input: string }
);

/** Runs a command on a node. Throws a `Failure` with the reason if the node cannot be reached. */
export async function openSession(
  call: ProgramCall,
  { node, command, keyboard, input }: NodeCommand,
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
    throw new Failure(message || "Connection refused");
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

/** Returns the exit code of a command; undefined if the connection was lost. */
export function exitCodeOf(status: Status | undefined): number | undefined {
  if (!status) return undefined;
  if ((status as { status?: string }).status === "Success") return 0;
  const code = status.details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  return code === undefined ? undefined : Number(code);
}
