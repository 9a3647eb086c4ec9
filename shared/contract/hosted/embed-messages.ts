// The messages between a page and the frame of a cluster, sent by `postMessage`. Each is an object with `sandbar`, the version of this
// protocol, and `type`. Unknown types are ignored, so both sides can add some; another version is another protocol.
import { embedLimits } from "../../base/embed-limits.ts";

export const embedProtocol = 1;

/** The methods that a page can call with a text: a command line for `run`, YAML for `apply`, otherwise empty. */
export const embedMethods = ["run", "apply", "reset", "check"] as const;

export type EmbedMethod = (typeof embedMethods)[number];

/** The appearance of the frame. */
export interface Look {
  readonly theme: "light" | "dark" | "auto";
  /** The language, `en` or `de`; others become `en`. */
  readonly language: string;
  /** The values of custom properties by name: see `embedStyles`. */
  readonly style: Readonly<Record<string, string>>;
}

/** The custom properties of a page that its frames adopt, and their names in the frame. */
export const embedStyles = {
  "--sandbar-accent": "--accent",
  "--sandbar-on-accent": "--on-accent",
  "--sandbar-background": "--ground",
  "--sandbar-surface": "--surface",
  "--sandbar-text": "--text",
  "--sandbar-muted": "--muted",
  "--sandbar-line": "--line",
  "--sandbar-radius": "--radius",
  "--sandbar-font": "--font",
  "--sandbar-mono": "--mono",
  "--sandbar-font-size": "--font-size",
} as const satisfies Readonly<Record<string, string>>;

export type ToFrame =
  /** The answer to `loaded`: the frame can start. */
  | { readonly type: "hello"; readonly look: Look }
  | { readonly type: "look"; readonly look: Look }
  /** Another frame has progressed in the lesson. */
  | { readonly type: "moved" }
  /** A call. The answer repeats `id`. */
  | { readonly type: "call"; readonly id: number; readonly method: EmbedMethod; readonly text: string };

/** An object that was added, modified or deleted. */
export interface ChangedObject {
  readonly change: "added" | "modified" | "deleted";
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The events that elements dispatch, with all members but `type` as their `detail`. */
export type EmbedEvent =
  | {
      readonly type: "ready";
      readonly sandbox: { readonly id: string; readonly expiresAt: string };
      /** True if the sandbox was created for this visit. */
      readonly isNew: boolean;
    }
  | { readonly type: "command"; readonly line: string; readonly exitCode: number }
  /** The changes; `more` is the number of others. */
  | { readonly type: "changed"; readonly objects: readonly ChangedObject[]; readonly more: number }
  | {
      readonly type: "step-passed";
      readonly lesson: string;
      /** The step, from 1. */
      readonly step: number;
      readonly points: number;
      readonly maxPoints: number;
      readonly isFinished: boolean;
    }
  | { readonly type: "expired" }
  /** An error; `code` is one of the control API's. */
  | { readonly type: "refused"; readonly code: string; readonly message: string };

export type ToPage =
  | EmbedEvent
  /** The frame waits for `hello`. */
  | { readonly type: "loaded" }
  /** The visitor has progressed in the lesson. */
  | { readonly type: "moved" }
  /** The height of the frame's content. */
  | { readonly type: "height"; readonly pixels: number }
  | { readonly type: "answer"; readonly id: number; readonly value: unknown }
  | {
      readonly type: "answer";
      readonly id: number;
      readonly error: { readonly code: string; readonly message: string };
    };

export const embedEvents = [
  "ready",
  "command",
  "changed",
  "step-passed",
  "expired",
  "refused",
] as const satisfies readonly EmbedEvent["type"][];

/** Adds the protocol version to a message. */
export function wrapped<T extends ToFrame | ToPage>(message: T): T & { readonly sandbar: number } {
  return { sandbar: embedProtocol, ...message };
}

/** Parses a message of a page. Returns undefined if it is not of the protocol, or exceeds its limits. */
export function readToFrame(data: unknown): ToFrame | undefined {
  if (!isOurs(data)) return undefined;
  const { type, id, method, text, look } = data;
  if (type === "moved") return { type };
  if (type === "hello" || type === "look") return { type, look: readLook(look) };
  if (type !== "call" || !Number.isSafeInteger(id)) return undefined;
  const requestedMethod = embedMethods.find((candidate) => candidate === method);
  if (!requestedMethod || !isText(text, embedLimits.embedTextCharacters)) return undefined;
  return { type, id: Number(id), method: requestedMethod, text };
}

const toPage: readonly string[] = [...embedEvents, "loaded", "moved", "height", "answer"];

/** Parses a message of the frame without validating its members. Returns undefined if it is not of the protocol. */
export function readToPage(data: unknown): ToPage | undefined {
  if (!isOurs(data) || typeof data["type"] !== "string" || !toPage.includes(data["type"])) return undefined;
  const { sandbar: _, ...message } = data;
  // The sender is the service's own page.
  return message as unknown as ToPage;
}

function readLook(look: unknown): Look {
  const { theme, language, style } = isRecord(look) ? look : {};
  const styles = isRecord(style) ? Object.entries(style) : [];
  return {
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    language: isText(language, languageCharacters) ? language : "en",
    style: Object.fromEntries(
      styles.filter((entry): entry is [string, string] => Object.hasOwn(embedStyles, entry[0]) && isStyle(entry[1])),
    ),
  };
}

const languageCharacters = 35;

/** Accepts a color, a length or a list of fonts, but nothing that loads a resource. */
function isStyle(value: unknown): value is string {
  return isText(value, embedLimits.embedStyleCharacters) && !/[;{}\\<>]|url|image|src|@/i.test(value);
}

function isOurs(data: unknown): data is Readonly<Record<string, unknown>> {
  return isRecord(data) && data["sandbar"] === embedProtocol;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown, most: number): value is string {
  return typeof value === "string" && value.length <= most;
}
