// The declaration of a subcommand of helm, and what it receives.
import type { Flag } from "../../../../kubectl/flag.ts";
import type { FlagValues } from "../../../../kubectl/flags.ts";
import type { Surroundings } from "../../../../kubectl/surroundings.ts";
import type { Context } from "../actions/context.ts";
import { Failure } from "../../failure.ts";

export interface HelmCall {
  readonly args: readonly string[];
  readonly flags: FlagValues;
  readonly surroundings: Surroundings;
  readonly namespace: string;
  readonly signal: AbortSignal;
  out(text: string): void;
  /** Writes a line to the error output. */
  warn(text: string): void;
  /** Returns the absolute path of a file. */
  path(name: string): string;
  /** Reads the standard input. */
  input(): Promise<string>;
  /** Returns the cluster's side of an action, in a namespace, or in all with an empty one. */
  context(namespace?: string): Context;
}

export interface HelmCommand {
  readonly names: readonly string[];
  /** The arguments, as the usage line shows them. */
  readonly usage: string;
  readonly short: string;
  readonly flags?: readonly Flag[];
  /** The least and the highest number of arguments. */
  readonly count?: readonly [least: number, most: number];
  readonly commands?: readonly HelmCommand[];
  run?(call: HelmCall): Promise<void> | void;
}

/** Throws if the number of arguments does not fit, with the words of Helm. */
export function checkCount(
  path: string,
  { count = [0, Number.POSITIVE_INFINITY], usage }: HelmCommand,
  args: readonly string[],
): void {
  const [least, most] = count;
  if (args.length >= least && args.length <= most) return;
  const words = (number: number) => `${number} argument${number === 1 ? "" : "s"}`;
  const problem =
    least === most
      ? most === 0
        ? `accepts no arguments`
        : `requires ${words(most)}`
      : args.length < least
        ? `requires at least ${words(least)}`
        : `accepts at most ${words(most)}`;
  throw new Failure(`"${path}" ${problem}\n\nUsage:  ${path} ${usage}`, 1);
}
