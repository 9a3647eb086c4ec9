// Runs a machine as a node of a sandbox: the kubelet, and the tunnel by which the sandbox reaches it.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { holdTunnel } from "../tunnel/hold.ts";
import { readTarget } from "../tunnel/kubeconfig.ts";
import { fileNames, type JoinPlan } from "./plan.ts";

interface Around {
  say(text: string): void;
  readonly signal: AbortSignal;
}

/** Writes the files of a node, which only the user can read. */
export function writeFiles(folder: string, { files }: JoinPlan): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
}

/** Runs the kubelet until it ends, or the signal ends it. Resolves to a message about its end. */
export function runKubelet(program: string, words: readonly string[], { signal }: Around): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  // The kubelet's log is this command's own.
  const child = spawn(program, words, { stdio: ["ignore", "inherit", "inherit"] });
  const stop = () => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  child.once("error", (error) => resolve(`the kubelet did not start: ${error.message}`));
  child.once("exit", (code, killedBy) => resolve(`the kubelet ended with ${code ?? killedBy}`));
  return promise.finally(() => signal.removeEventListener("abort", stop));
}

/** Serves the kubelet's API to the sandbox until the signal aborts. Throws if the sandbox refuses. */
export async function serveKubelet(
  node: string,
  { folder, port }: { readonly folder: string; readonly port: number },
  { say, signal }: Around,
): Promise<void> {
  const target = readTarget(join(folder, fileNames.tunnel));
  const [certificate, key] = [fileNames.certificate, fileNames.key].map((name) =>
    readFileSync(join(folder, name), "utf8"),
  );
  const trusted = getCACertificates("default");
  // Only connections to the sandbox trust the kubeconfig's authority.
  if (target.ca) setDefaultCACertificates([target.ca]);
  if (target.insecure) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  const end = {
    query: `node=${encodeURIComponent(node)}`,
    title: `node ${node}`,
    to: `https://127.0.0.1:${port}`,
    client: { certificate: certificate ?? "", key: key ?? "" },
  };
  await holdTunnel(target, end, { say, trusted, signal });
}
