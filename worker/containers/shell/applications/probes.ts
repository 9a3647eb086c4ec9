// Programs that images of applications bring to probe themselves with.
import type { Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { open } from "../programs/connection.ts";

/** What their probes are run with. */
export const applicationPrograms: Programs = {
  *grpc_health_probe(call) {
    const given = call.args.find((arg) => /^--?addr=/.test(arg)) ?? "";
    const address = given.slice(given.indexOf("=") + 1);
    if (yield* isOpen(call, Number(/:(\d+)$/.exec(address)?.[1] ?? 0))) {
      call.out("status: SERVING\n");
      return 0;
    }
    call.err(`timeout: failed to connect service "${address}" within 1s\n`);
    return 2;
  },
  *podcli(call) {
    const [, kind, url = ""] = call.args;
    const [, port = "80"] = /:(\d+)/.exec(url) ?? [];
    if (kind === "http" && !(yield* isOpen(call, Number(port)))) {
      call.err(`request failed Get "http://${url}": dial tcp [::1]:${port}: connect: connection refused\n`);
      return 1;
    }
    return 0;
  },
};

/** Whether anything listens at a port of its own pod. */
function* isOpen({ process }: ProgramCall, port: number): Task<boolean> {
  const { kind } = (yield* open(process, { host: "127.0.0.1", port, limitMs: 1000 })).reached;
  return kind === "open" || kind === "answered" || kind === "outside";
}
