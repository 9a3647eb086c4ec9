// The command `sandbar tunnel`: the same as `npm run tunnel`, optionally with the kubeconfig of a sandbox.
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { parse } from "yaml";
import { readArguments, serviceEnd } from "../tunnel/arguments.ts";
import { holdTunnel } from "../tunnel/hold.ts";
import { readTarget, targetOf } from "../tunnel/kubeconfig.ts";
import { UsageError } from "./values.ts";

interface Around {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  say(text: string): void;
  readonly signal: AbortSignal;
}

/** Opens a tunnel. `config` is the text of a kubeconfig; if it is undefined, `--kubeconfig` or the environment names one. */
export async function tunnel(words: readonly string[], config: string | undefined, around: Around): Promise<void> {
  const tunnelArguments = reading(() => readArguments(words, around.environment));
  const target = reading(() =>
    config === undefined
      ? readTarget(tunnelArguments.kubeconfig, tunnelArguments.context)
      : targetOf(parse(config), around.folder),
  );
  const trusted = getCACertificates("default");
  // Only connections to the sandbox trust the kubeconfig's authority.
  if (target.ca) setDefaultCACertificates([target.ca]);
  if (target.insecure) process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  await holdTunnel(target, serviceEnd(tunnelArguments), { say: around.say, trusted, signal: around.signal });
}

function reading<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
