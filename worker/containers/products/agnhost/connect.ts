// agnhost connect: opens one connection, and prints the reason in one word if it fails.
import type { Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall } from "../../shell/program.ts";
import type { Protocol } from "../../shell/contact.ts";
import { sleep } from "../../shell/system-call.ts";
import { kernelMs, open } from "../../shell/programs/connection.ts";
import { flagsOf } from "./flags.ts";

export function* connect(call: ProgramCall): Task<number> {
  const { process, err } = call;
  const flags = flagsOf(call.args);
  const [to = ""] = flags.rest;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d+)$/.exec(to);
  const fail = (why: string) => {
    err(`${why}\n`);
    return 1;
  };
  if (!match) return fail(`UNKNOWN: address ${to}: missing port in address`);
  const protocol = flags.text("protocol", "tcp").toUpperCase() as Protocol; // checked below
  if (!["TCP", "UDP", "SCTP"].includes(protocol)) return fail(`Unsupported protocol\n${flags.text("protocol")}`);
  const host = match[1] ?? match[2] ?? "";
  const limitMs = flags.durationMs("timeout") || kernelMs;
  const data =
    protocol === "TCP" ? {} : { protocol, data: `${flags.text(`${protocol.toLowerCase()}-data`, "hostname")}\n` };
  const { reached } = yield* open(process, { host, port: Number(match[3]), limitMs, ...data });
  if (process.paused) return 1;
  if (reached.kind === "unresolved") return fail(`DNS: lookup ${host}: no such host`);
  if (reached.kind === "timeout" || reached.kind === "dropped") return fail("TIMEOUT");
  if (reached.kind === "refused") return fail("REFUSED");
  if (reached.kind === "unreachable")
    return fail(`OTHER: dial ${protocol.toLowerCase()} ${to}: connect: no route to host`);
  if (protocol === "TCP" || reached.answer?.body) return 0;
  yield* sleep(process, limitMs);
  return process.paused ? 1 : fail("TIMEOUT");
}
