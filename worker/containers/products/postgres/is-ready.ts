// pg_isready: reports whether a server accepts connections.
import type { Task } from "../../../../shared/shell/task.ts";
import { options } from "../../../../shared/shell/options.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { open } from "../../shell/programs/connection.ts";

const limitMs = 3_000;

export function* checkReadiness(call: ProgramCall): Task<number> {
  const { values } = options(call.args, "hpUdt");
  const host = values.get("h") ?? "/var/run/postgresql";
  const port = Number(values.get("p") ?? 5432);
  // A folder is the socket folder of the container's own server.
  const place = { host: host.startsWith("/") ? "127.0.0.1" : host, port, limitMs };
  const { kind } = (yield* open(call.process, place)).reached;
  if (call.process.paused) return 2;
  const isThere = ["open", "answered", "outside"].includes(kind);
  call.out(`${host}:${port} - ${isThere ? "accepting connections" : "no response"}\n`);
  return isThere ? 0 : 2;
}
