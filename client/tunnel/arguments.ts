// The tunnel's command line.
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { TunnelEnd } from "./hold.ts";

export const usage = `Usage: npm run tunnel -- --service <namespace>/<name> --to https://localhost:<port> [--kubeconfig <path>] [--context <name>]

Serves a Service of a sandbox from this machine: webhooks and aggregated APIs that point at the Service are asked at --to, with the
Service's name as server name, and trust the CA bundle of their configuration.`;

export interface Arguments {
  readonly namespace: string;
  readonly name: string;
  /** Scheme, host and port. */
  readonly to: string;
  readonly kubeconfig: string;
  readonly context: string | undefined;
}

/** Parses the command line. Throws an error for the user if it is not valid. */
export function readArguments(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Arguments {
  const { values } = parseArgs({
    args: [...words],
    options: {
      service: { type: "string" },
      to: { type: "string" },
      kubeconfig: { type: "string" },
      context: { type: "string" },
    },
  });
  const [, namespace = "default", name] = /^(?:([^/]+)\/)?([^/]+)$/.exec(values.service ?? "") ?? [];
  if (!name) throw new Error("--service must be <namespace>/<name>");
  const url = URL.canParse(values.to ?? "") ? new URL(values.to ?? "") : undefined;
  if (url?.protocol !== "https:") throw new Error("--to must be an https address, such as https://localhost:9443");
  const fromEnvironment = environment["KUBECONFIG"]?.split(":").find(Boolean);
  return {
    namespace,
    name,
    to: url.origin,
    kubeconfig: values.kubeconfig ?? fromEnvironment ?? join(homedir(), ".kube", "config"),
    context: values.context,
  };
}

/** Returns the end of a Service's tunnel. */
export function serviceEnd({ namespace, name, to }: Pick<Arguments, "namespace" | "name" | "to">): TunnelEnd {
  return { query: `namespace=${namespace}&service=${name}`, title: `service ${namespace}/${name}`, to };
}
