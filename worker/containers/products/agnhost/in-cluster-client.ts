// agnhost inclusterclient: requests the API's health repeatedly, with the token in its files.
import type { Task } from "../../../../shared/shell/task.ts";
import { stableHex } from "../../../../shared/base/stable.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { sleep } from "../../shell/system-call.ts";
import { charge } from "../../../../shared/shell/meter.ts";
import { open } from "../../shell/programs/connection.ts";
import { flagsOf } from "./flags.ts";
import { logLine } from "./log.ts";

const folder = "/var/run/secrets/kubernetes.io/serviceaccount";
const limitMs = 10_000;

export function* inClusterClient(call: ProgramCall): Task<number> {
  const { process, shell, err } = call;
  const say = (text: string, level?: string) => err(logLine(process.clockMs, text, level));
  const everyMs = flagsOf(call.args).number("poll-interval", 30) * 1000;
  say("started");
  const [host, port] = ["HOST", "PORT"].map((name) => shell.variables.get(`KUBERNETES_SERVICE_${name}`));
  if (!host || !port || process.files.get(`${folder}/token`)?.text === undefined) {
    const why =
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined";
    say(`err: ${why}`, "F");
    return 255;
  }
  for (;;) {
    charge(process, 1);
    yield* sleep(process, Math.max(everyMs, 1000));
    if (process.paused) return 0;
    const token = process.files.get(`${folder}/token`)?.text ?? "";
    say("calling /healthz");
    say(`authz_header=${stableHex(`salt|Bearer ${token}`, 43)}`);
    const headers = [["Authorization", `Bearer ${token}`] as const];
    const request = { method: "GET", path: "/healthz", headers, body: "" };
    const { reached } = yield* open(process, { host, port: Number(port), request, limitMs });
    if (process.paused) return 0;
    const { answer } = reached;
    if (answer?.status === 200 || reached.kind === "outside") continue;
    say("status=failed", "E");
    say(`error checking /healthz: ${answer ? answer.body : reached.kind}`, "E");
  }
}
