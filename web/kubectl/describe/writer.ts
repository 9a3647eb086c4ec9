// The text of a description: lines with tab-separated columns, indented by levels, and the lists that many kinds print.
import { parseTime } from "../../../shared/k8s/time.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { numberAt, textOf } from "../object.ts";
import { escapeTerminal } from "../print/escape.ts";
import { describeColumns, newTabWriter } from "../print/tab-writer.ts";

const maxAnnotation = 140;
const skippedAnnotations = ["kubectl.kubernetes.io/last-applied-configuration"];

export class Description {
  #aligned = "";
  #text = "";
  readonly #indent: string;

  /** Indents all lines by `level`. */
  constructor(level = 0) {
    this.#indent = "  ".repeat(level);
  }

  /** Appends text unchanged. */
  write(text: string): void {
    this.#text += escapeTerminal(text);
  }

  /** Appends a line whose columns are separated by tabs. */
  line(level: number, text: string): void {
    this.write(`${this.#indent}${"  ".repeat(level)}${text}\n`);
  }

  /** Ends the columns: the lines that follow are aligned separately. */
  flush(): void {
    this.#aligned += newTabWriter(describeColumns).align(this.#text);
    this.#text = "";
  }

  text(): string {
    this.flush();
    return this.#aligned;
  }

  /** Returns the text with its tabs. */
  raw(): string {
    return this.#aligned + this.#text;
  }

  labels(title: string, labels: Readonly<Record<string, string>>, indent = ""): void {
    this.list(
      title,
      Object.keys(labels)
        .sort()
        .map((key) => `${key}=${labels[key] ?? ""}`),
      indent,
    );
  }

  /** Appends a title and one line for each item. */
  list(title: string, items: readonly string[], indent = "", inner = "\t"): void {
    const start = `${this.#indent}${indent}`;
    const lines = items.length > 0 ? items : ["<none>"];
    this.write(`${start}${title}:${lines.map((line, at) => `${at === 0 ? "" : start}${inner}${line}\n`).join("")}`);
  }

  annotations(title: string, annotations: Readonly<Record<string, string>>): void {
    const keys = Object.keys(annotations)
      .filter((key) => !skippedAnnotations.includes(key))
      .sort();
    if (keys.length === 0) return this.write(`${title}:\t<none>\n`);
    this.write(`${title}:`);
    for (const key of keys) {
      const value = (annotations[key] ?? "").replace(/\n$/, "");
      if (value.length + key.length + 2 <= maxAnnotation && !value.includes("\n")) {
        this.write(`\t${key}: ${value}\n`);
        continue;
      }
      this.write(`\t${key}:\n`);
      for (const line of value.split("\n")) this.write(`\t  ${shortened(line, maxAnnotation - 2)}\n`);
    }
  }

  tolerations(title: string, tolerations: readonly JsonObject[]): void {
    const sorted = [...tolerations].sort((a, b) =>
      textOf(a.key) < textOf(b.key) ? -1 : textOf(a.key) > textOf(b.key) ? 1 : 0,
    );
    this.list(title, sorted.map(tolerationText));
  }

  taints(title: string, taints: readonly JsonObject[]): void {
    const order = ({ effect, key }: JsonObject) => `${textOf(effect)},${textOf(key)}`;
    const sorted = [...taints].sort((a, b) => (order(a) < order(b) ? -1 : 1));
    this.list(title, sorted.map(taintText));
  }
}

export function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

function tolerationText(toleration: JsonObject): string {
  const [key, value, effect] = [textOf(toleration.key), textOf(toleration.value), textOf(toleration.effect)];
  const seconds = numberAt(toleration, "tolerationSeconds");
  const isExists = toleration.operator === "Exists" && !value;
  const exists = isExists ? (key || effect ? " op=Exists" : "op=Exists") : "";
  return `${key}${value ? `=${value}` : ""}${effect ? `:${effect}` : ""}${exists}${seconds === undefined ? "" : ` for ${seconds}s`}`;
}

export function taintText({ key, value, effect }: JsonObject): string {
  const [name, of, how] = [textOf(key), textOf(value), textOf(effect)];
  if (!how) return of ? `${name}=${of}:` : name;
  return of ? `${name}=${of}:${how}` : `${name}:${how}`;
}

export function orNone(text: string): string {
  return text || "<none>";
}

export function trueOrFalse(value: unknown): string {
  return value === true ? "True" : "False";
}

/** Formats a time as `Mon, 02 Jan 2006 15:04:05 +0000` in the local time zone, or Go's zero time if it is absent. */
export function longTime(timestamp: unknown): string {
  const ms = parseTime(textOf(timestamp));
  if (Number.isNaN(ms)) return "Mon, 01 Jan 0001 00:00:00 +0000";
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? "-" : "+"}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  const day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.getDay()] ?? "";
  const month =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][date.getMonth()] ?? "";
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day}, ${two(date.getDate())} ${month} ${date.getFullYear()} ${clock} ${zone}`;
}
