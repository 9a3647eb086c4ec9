// The declaration of a command: its names, flags, subcommands and function.
import type { Cluster } from "./cluster/cluster.ts";
import type { Flag } from "./flag.ts";
import type { FlagValues } from "./flags.ts";
import type { Streams, Surroundings } from "./surroundings.ts";

export interface CommandCall {
  readonly flags: FlagValues;
  readonly args: readonly string[];
  /** The number of arguments before `--`, or -1 if there was no `--`. */
  readonly dash: number;
  readonly cluster: Cluster;
  readonly surroundings: Surroundings;
  readonly streams: Streams;
  /** The namespace of `-n`, or of the context. */
  readonly namespace: string;
  readonly hasNamespace: boolean;
  /** The full name of the command: `kubectl rollout status`. */
  readonly path: string;
  readonly command: Command;
  /** The root command, for commands that print help of others. */
  readonly root: Command;
}

export interface Command {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The usage text after the command's path. */
  readonly use?: string;
  readonly short: string;
  readonly examples?: readonly string[];
  readonly flags?: readonly Flag[];
  readonly commands?: readonly Command[];
  /** Reports whether the command prints its help to the output if called without a subcommand. Otherwise the help is an error. */
  readonly helpsOnOut?: boolean;
  /** The values that completion offers as arguments. */
  readonly completes?: "resources" | "pods" | "nodes" | "files" | "none";
  run?(call: CommandCall): Promise<void> | void;
}

export function usageError(call: Pick<CommandCall, "path">, message: string): Error {
  return new Error(`${message}\nSee '${call.path} -h' for help and examples`);
}
