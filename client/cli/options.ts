// The options that several commands have.
import type { SandboxField } from "../../shared/contract/sandbox-fields.ts";

export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export interface Command {
  readonly help: string;
  /** The arguments as the help shows them. */
  readonly arguments: string;
  /** The least and the greatest number of arguments. */
  readonly count: readonly [least: number, most: number];
  readonly options: Readonly<Record<string, Option>>;
}

type More = Pick<Option, "short" | "multiple">;

/** Returns an option with a value. `value` is the placeholder in the help. */
export function text(value: string, help: string, more?: More): Option {
  return { type: "string", value, help, ...more };
}

export function flag(help: string, more?: More): Option {
  return { type: "boolean", help, ...more };
}

export const entries = text("100", "how many entries of the audit log at most");
export const json = flag("prints JSON, for programs");
export const sandbox = { arguments: "<sandbox>", count: [1, 1] as const };
export const noArguments = { arguments: "", count: [0, 0] as const };
export const label = text("key=value", "a label; may come several times", { multiple: true });
export const ttl = text("1h", "how long it lives: seconds, or 90s, 30m, 12h, 7d");
export const name = text("name", "what it is called");
const description = text("text", "a line that says what it is for");
/** The options that set each field of a new sandbox. */
const optionsOfFields: Readonly<Record<SandboxField, Readonly<Record<string, Option>>>> = {
  name: { name },
  description: { description },
  labels: { label },
};
export const fieldOptions: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.values(optionsOfFields).flatMap((options) => Object.entries(options)),
);
export const revision = text("n", "a revision that the sandbox's history still holds");
export const ofSandbox = text("sandbox", "which sandbox; default: SANDBAR_SANDBOX, or the only one");
export const moment = text("moment", "a resource version, or a time");
export const namespaced = text("name", "the namespace; default: default", { short: "n" });
export const images = text(
  "file",
  "images that it brings along, as `sandbar image build` writes them; or strict, or any",
  {
    multiple: true,
  },
);
export const output = text("file", "where to; default: the output", { short: "o" });
export const snapshot = text("id", "a snapshot");

export const between: Readonly<Record<string, Option>> = {
  from: text("2026-01-01", "the first day; default: the first of this month"),
  to: text("2026-01-31", "the last day; default: today"),
  "by-day": flag("a line for each day"),
};

export const common: Readonly<Record<string, Option>> = {
  server: text("url", "the service; default: SANDBAR_URL, or http://localhost:8787"),
  help: flag("prints this", { short: "h" }),
};
