// Programs that use the cluster's network. They run on the control plane's node, where the terminal of an administrator stands: Services,
// pods, node ports and the cluster's DNS are reached from there.
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import { listAt, nameOf, objectAt } from "../../../kubectl/object.ts";
import { Failure } from "../failure.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { Interrupted, readAll } from "../streams.ts";
import { exitCodeOf, openSession } from "./node-session.ts";

export const networkPrograms: Programs = {
  nslookup: (call) => runOnNode(call, call.args, ""),
  dig: (call) => runOnNode(call, call.args, ""),
  nc: netcat,
  netcat,
};

const controlPlane = "node-role.kubernetes.io/control-plane";

async function netcat(call: ProgramCall): Promise<number> {
  const letters = call.args.filter((arg) => /^-[A-Za-z]/.test(arg)).join("");
  if (letters.includes("l"))
    throw new Failure(
      "-l is not in this terminal, which no host can connect to: listen in a container, or on a node with ssh",
    );
  if (letters.includes("z")) return runOnNode(call, call.args, "");
  const { keyboard } = call.shell.machine;
  if (call.input.isTerminal && call.out.isTerminal && keyboard) return runOnNode(call, call.args, keyboard);
  return runOnNode(call, call.args, await readAll(call.input, call.signal));
}

type Input = string | NonNullable<ProgramCall["shell"]["machine"]["keyboard"]>;

/** Runs the program on the control plane's node. */
export async function runOnNode(call: ProgramCall, args: readonly string[], input: Input): Promise<number> {
  const node = await controlPlaneNode(call);
  const command = [call.name, ...args];
  const session = typeof input === "string" ? { input } : { keyboard: input };
  const status = await openSession(call, { node, command, ...session });
  if (call.signal.aborted) throw new Interrupted();
  return exitCodeOf(status) ?? 1;
}

async function controlPlaneNode(call: ProgramCall): Promise<string> {
  const { fetch } = call.shell.machine.kubectl.surroundings;
  const answer = await fetch("/api/v1/nodes", { signal: call.signal });
  const body = (await answer.json().catch(() => ({}))) as JsonObject;
  if (!answer.ok) {
    const why = typeof body.message === "string" ? body.message : answer.statusText;
    throw new Failure(`the cluster's network cannot be reached: ${why}`);
  }
  const nodes = listAt(body, "items");
  const node = nodes.find((each) => controlPlane in objectAt(each, "metadata", "labels")) ?? nodes[0];
  if (!node) throw new Failure("Network is unreachable");
  return nameOf(node);
}
