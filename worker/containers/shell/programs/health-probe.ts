// The program with which images of gRPC servers probe themselves.
import type { Task } from "../../../../shared/shell/task.ts";
import type { ProgramCall, Programs } from "../program.ts";
import { open } from "./connection.ts";

export const healthProbePrograms: Programs = {
  *grpc_health_probe(call) {
    const addressFlag = call.args.find((arg) => /^--?addr=/.test(arg)) ?? "";
    const address = addressFlag.slice(addressFlag.indexOf("=") + 1);
    if (yield* isOpen(call, Number(/:(\d+)$/.exec(address)?.[1] ?? 0))) {
      call.out("status: SERVING\n");
      return 0;
    }
    call.err(`timeout: failed to connect service "${address}" within 1s\n`);
    return 2;
  },
};

/** Reports whether anything listens at a port of the program's own pod. */
export function* isOpen({ process }: ProgramCall, port: number): Task<boolean> {
  const { kind } = (yield* open(process, { host: "127.0.0.1", port, limitMs: 1000 })).reached;
  return kind === "open" || kind === "answered" || kind === "outside";
}
