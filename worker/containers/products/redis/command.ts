// The interface of a Redis command, and the parsing of arguments.
import type { RedisConfig } from "./config.ts";
import { type Keys, RedisError } from "./keys.ts";
import type { Reply } from "../../databases/resp.ts";

export interface Session {
  readonly keys: Keys;
  readonly database: number;
  readonly nowMs: number;
  readonly config: RedisConfig;
  readonly version: string;
  /** Returns a number from 0 to 1, which is the same if the command is computed again. */
  random(): number;
  /** Stores other commands in place of the command itself; none if it is called without words. */
  note(...words: readonly string[]): void;
  /** Reports whether the server's primary can be reached. */
  isLinked(): boolean;
  subscribers(channel: string): number;
}

export interface Command {
  /** The number of arguments without the name. A negative number is a minimum. */
  readonly takes: number | "any";
  readonly writes?: true;
  readonly run: (args: readonly string[], session: Session) => Reply;
}

export type Commands = Readonly<Record<string, Command>>;

export const ok: Reply = { status: "OK" };
export const syntaxError = "ERR syntax error";
export const notInteger = "ERR value is not an integer or out of range";

export function fail(message: string): never {
  throw new RedisError(message);
}

export function integer(text: string | undefined): number {
  if (text === undefined || !/^-?\d{1,18}$/.test(text)) fail(notInteger);
  return Number(text);
}

export function float(text: string | undefined): number {
  const value = Number(text);
  const named = { "+inf": Number.POSITIVE_INFINITY, inf: Number.POSITIVE_INFINITY, "-inf": Number.NEGATIVE_INFINITY };
  const infinite = Object.entries(named).find(([name]) => name === text?.toLowerCase())?.[1];
  if (infinite !== undefined) return infinite;
  if (text === undefined || text.trim() === "" || Number.isNaN(value)) fail("ERR value is not a valid float");
  return value;
}

/** Formats a number that may have a fraction as Redis does. */
export function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "inf";
  if (value === Number.NEGATIVE_INFINITY) return "-inf";
  return String(Number(value.toPrecision(17)));
}

/** Returns a range of items. Negative indexes count from the end; both ends are included. */
export function rangeOf<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const start = from < 0 ? Math.max(0, items.length + from) : from;
  const end = to < 0 ? items.length + to : to;
  return items.slice(start, end + 1);
}

/** Returns the pairs of a flat list. */
export function pairsOf(args: readonly string[]): (readonly [string, string])[] {
  return args.flatMap((name, at) => (at % 2 === 0 ? [[name, args[at + 1] ?? ""] as const] : []));
}
