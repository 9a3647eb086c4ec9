// The command `npm run tunnel`: serves a Service of a sandbox from this machine, until it is interrupted.
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { readArguments, serviceEnd, usage } from "../client/tunnel/arguments.ts";
import { holdTunnel } from "../client/tunnel/hold.ts";
import { readTarget } from "../client/tunnel/kubeconfig.ts";

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());

try {
  const words = process.argv.slice(2);
  if (words.includes("--help") || words.includes("-h")) {
    console.log(usage);
    process.exit(0);
  }
  const tunnelArguments = readArguments(words, process.env);
  const target = readTarget(tunnelArguments.kubeconfig, tunnelArguments.context);
  const trusted = getCACertificates("default");
  // Only connections to the sandbox trust the kubeconfig's authority.
  if (target.ca) setDefaultCACertificates([target.ca]);
  if (target.insecure) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  await holdTunnel(target, serviceEnd(tunnelArguments), {
    say: (text) => console.log(text),
    trusted,
    signal: stop.signal,
  });
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
