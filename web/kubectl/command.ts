// What a command is: its names, its flags, and what it does when it is called.
import type { Cluster } from "./cluster/cluster.ts";
import type { Flag } from "./flag.ts";
import type { FlagValues } from "./flags.ts";
import type { Streams, Surroundings } from "./surroundings.ts";

export interface CommandCall {
  readonly flags: FlagValues;
  readonly args: readonly string[];
  /** How many arguments stood before `--`; -1 where that was not given. */
  readonly dash: number;
  readonly cluster: Cluster;
  readonly around: Surroundings;
  readonly streams: Streams;
  /** The namespace of `-n`, or of the context. */
  readonly namespace: string;
  readonly hasNamespace: boolean;
  /** `kubectl rollout status`. */
  readonly path: string;
  readonly command: Command;
  /** All of kubectl's, for those that tell of others. */
  readonly root: Command;
}

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** After the command's path in the usage line. */
  readonly use?: string;
  readonly short: string;
  readonly examples?: readonly string[];
  readonly flags?: readonly Flag[];
  readonly commands?: readonly Command[];
  /** Called without a subcommand, its help is its output; otherwise it is an error's text. */
  readonly helpsOnOut?: boolean;
  /** What may be completed as an argument. */
  readonly completes?: "resources" | "pods" | "nodes" | "files" | "none";
  run?(call: CommandCall): Promise<void> | void;
}

export function usageError(call: Pick<CommandCall, "path">, message: string): Error {
  return new Error(`${message}\nSee '${call.path} -h' for help and examples`);
}
