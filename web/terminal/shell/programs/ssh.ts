// `ssh` to a node of the cluster: a shell among the node's own files, through the kubelet's part of the API.
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import { asError } from "../../../kubectl/errors.ts";
import { listAt, nameOf } from "../../../kubectl/object.ts";
import { optionsOf, type ProgramCall, type Programs } from "../program.ts";
import { Failure } from "../failure.ts";
import { Interrupted, readAll } from "../streams.ts";
import { exitCodeOf, openSession } from "./node-session.ts";

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
  const status = await openSession(call, { node: name, command, ...session }).catch((error: unknown) => {
    throw error instanceof Failure
      ? new Failure(`connect to host ${name} port 22: ${error.message}`, sshFailed)
      : error;
  });
  if (call.signal.aborted) throw new Interrupted();
  if (words.length === 0) call.err.write(`Connection to ${name} closed.\n`);
  return exitCodeOf(status) ?? sshFailed;
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
