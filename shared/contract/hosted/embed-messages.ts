// What a page and the frame of a cluster in it say to each other by `postMessage`. Each message is an object with `sandbar`, the version of this
// protocol, and `type`. A type that is not known is not heeded, so that either side may know more; another version is another protocol.
import { embedLimits } from "../../base/embed-limits.ts";

export const embedProtocol = 1;

/** What a page asks for, each with a text: a command line for `run`, YAML for `apply`, empty else. */
export const embedMethods = ["run", "apply", "reset", "check"] as const;

export type EmbedMethod = (typeof embedMethods)[number];

/** How the frame looks. */
export interface Look {
  readonly theme: "light" | "dark" | "auto";
  /** `en`, `de`; another is taken for `en`. */
  readonly language: string;
  /** Values of custom properties, by their names: see `embedStyles`. */
  readonly style: Readonly<Record<string, string>>;
}

/** The custom properties of a page that its frames take over, and what they are in the frame. */
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
  /** The answer to `loaded`: it is this frame's turn. */
  | { readonly type: "hello"; readonly look: Look }
  | { readonly type: "look"; readonly look: Look }
  /** Another frame has come further in the lesson. */
  | { readonly type: "moved" }
  /** `id` comes again in the answer. */
  | { readonly type: "call"; readonly id: number; readonly method: EmbedMethod; readonly text: string };

/** An object that has come, was changed, or went. */
export interface ChangedObject {
  readonly change: "added" | "modified" | "deleted";
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** What elements make events of, with all but `type` as their `detail`. */
export type EmbedEvent =
  | {
      readonly type: "ready";
      readonly sandbox: { readonly id: string; readonly expiresAt: string };
      /** It was made for this visit. */
      readonly isNew: boolean;
    }
  | { readonly type: "command"; readonly line: string; readonly exitCode: number }
  /** `more`: how many others changed. */
  | { readonly type: "changed"; readonly objects: readonly ChangedObject[]; readonly more: number }
  | {
      readonly type: "step-passed";
      readonly lesson: string;
      /** Beginning with 1. */
      readonly step: number;
      readonly points: number;
      readonly maxPoints: number;
      readonly isFinished: boolean;
    }
  | { readonly type: "expired" }
  /** `code`: of the control API's errors. */
  | { readonly type: "refused"; readonly code: string; readonly message: string };

export type ToPage =
  | EmbedEvent
  /** The frame waits for `hello`. */
  | { readonly type: "loaded" }
  /** The visitor did something in the lesson. */
  | { readonly type: "moved" }
  /** As high as what it shows. */
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

/** As it is sent. */
export function wrapped<T extends ToFrame | ToPage>(message: T): T & { readonly sandbar: number } {
  return { sandbar: embedProtocol, ...message };
}

/** What a page has sent; nothing for what is none of the protocol's, or exceeds its bounds. */
export function readToFrame(data: unknown): ToFrame | undefined {
  if (!isOurs(data)) return undefined;
  const { type, id, method, text, look } = data;
  if (type === "moved") return { type };
  if (type === "hello" || type === "look") return { type, look: readLook(look) };
  if (type !== "call" || !Number.isSafeInteger(id)) return undefined;
  const asked = embedMethods.find((one) => one === method);
  if (!asked || !isText(text, embedLimits.embedTextCharacters)) return undefined;
  return { type, id: Number(id), method: asked, text };
}

const toPage: readonly string[] = [...embedEvents, "loaded", "moved", "height", "answer"];

/** What the frame has sent, whose word is taken for it; nothing for what is none of the protocol's. */
export function readToPage(data: unknown): ToPage | undefined {
  if (!isOurs(data) || typeof data["type"] !== "string" || !toPage.includes(data["type"])) return undefined;
  const { sandbar: _, ...message } = data;
  // It is the service's own page that sends it.
  return message as unknown as ToPage;
}

function readLook(given: unknown): Look {
  const { theme, language, style } = isRecord(given) ? given : {};
  const styles = isRecord(style) ? Object.entries(style) : [];
  return {
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    language: isText(language, languageCharacters) ? language : "en",
    style: Object.fromEntries(
      styles.filter((one): one is [string, string] => Object.hasOwn(embedStyles, one[0]) && isStyle(one[1])),
    ),
  };
}

const languageCharacters = 35;

/** A colour, a length or a list of fonts: nothing that is loaded from somewhere. */
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
