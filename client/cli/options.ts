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

export const json: Option = { type: "boolean", help: "prints JSON, for programs" };
export const sandbox = { arguments: "<sandbox>", count: [1, 1] as const };
export const label: Option = {
  type: "string",
  multiple: true,
  value: "key=value",
  help: "a label; may come several times",
};
export const ttl: Option = { type: "string", value: "1h", help: "how long it lives: seconds, or 90s, 30m, 12h, 7d" };
export const name: Option = { type: "string", value: "name", help: "what it is called" };
export const description: Option = { type: "string", value: "text", help: "a line that says what it is for" };
/** The options that set each field of a new sandbox. */
const optionsOfFields: Readonly<Record<SandboxField, Readonly<Record<string, Option>>>> = {
  name: { name },
  description: { description },
  labels: { label },
};
export const fieldOptions: Readonly<Record<string, Option>> = Object.fromEntries(
  Object.values(optionsOfFields).flatMap((options) => Object.entries(options)),
);
export const revision: Option = {
  type: "string",
  value: "n",
  help: "a revision that the sandbox's history still holds",
};
export const ofSandbox: Option = {
  type: "string",
  value: "sandbox",
  help: "which sandbox; default: SANDBAR_SANDBOX, or the only one",
};
export const moment: Option = { type: "string", value: "moment", help: "a resource version, or a time" };
export const namespaced: Option = {
  type: "string",
  short: "n",
  value: "name",
  help: "the namespace; default: default",
};
export const images: Option = {
  type: "string",
  multiple: true,
  value: "file",
  help: "images that it brings along, as `sandbar image build` writes them; or strict, or any",
};
export const snapshot: Option = { type: "string", value: "id", help: "a snapshot" };

export const between: Readonly<Record<string, Option>> = {
  from: { type: "string", value: "2026-01-01", help: "the first day; default: the first of this month" },
  to: { type: "string", value: "2026-01-31", help: "the last day; default: today" },
  "by-day": { type: "boolean", help: "a line for each day" },
};

export const common: Readonly<Record<string, Option>> = {
  server: { type: "string", value: "url", help: "the service; default: SANDBAR_URL, or http://localhost:8787" },
  help: { type: "boolean", short: "h", help: "prints this" },
};
