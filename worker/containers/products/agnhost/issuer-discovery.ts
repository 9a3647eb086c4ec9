// agnhost test-service-account-issuer-discovery: checks that the API publishes the issuer of the token in a file.
import type { Task } from "../../../../shared/shell/task.ts";
import { absolute } from "../../shell/files.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { open } from "../../shell/programs/connection.ts";
import { flagsOf } from "./flags.ts";
import { logLine } from "./log.ts";

const ownToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const limitMs = 30_000;

/** Signatures are not checked, because the cluster itself wrote the container's files. */
export function* issuerDiscovery(call: ProgramCall): Task<number> {
  const { process, shell, err } = call;
  const say = (text: string, level?: string) => err(logLine(process.clockMs, text, level));
  const path = flagsOf(call.args).text("token-path");
  if (process.files.get(absolute(path, shell.folder))?.text === undefined) {
    say(`open ${path}: no such file or directory`, "F");
    return 1;
  }
  say("OK: Got token");
  say("validating with in-cluster discovery");
  const host = shell.variables.get("KUBERNETES_SERVICE_HOST") ?? "";
  const headers = [["Authorization", `Bearer ${process.files.get(ownToken)?.text ?? ""}`] as const];
  const request = { method: "GET", path: "/.well-known/openid-configuration", headers, body: "" };
  const { reached } = yield* open(process, { host, port: 443, request, limitMs });
  if (process.paused) return 1;
  const { answer } = reached;
  if (answer?.status !== 200) {
    say(`failed to validate with in-cluster discovery: ${answer ? `${answer.status}: ${answer.body}` : reached.kind}`);
    return 1;
  }
  say("OK: Constructed OIDC provider for issuer https://kubernetes.default.svc.cluster.local");
  say("OK: Got valid claims from token!");
  return 0;
}
