// The terminal between a person's keys and a program: echoes input, supports editing, and passes on complete lines.
import { completionOf } from "../../../shared/base/completion.ts";

export interface Keyed {
  /** The output for the person. */
  readonly echo: string;
  /** The input for the program: lines, interrupts, and requests for completion. */
  readonly pieces: readonly string[];
  /** True for Ctrl-D at the beginning of a line. */
  readonly hasEnded: boolean;
}

export interface Terminal {
  type(keys: string): Keyed;
  /** Appends a completion if one was requested, and returns whether it was. The program has printed it. */
  complete(addition: string): boolean;
}

const interruption = "\u0003";
/** The maximum length of a completion. */
const longestAddition = 1024;

/** Creates a terminal with the line that is being typed and a history. */
export function newTerminal(): Terminal {
  const line = new Line();
  const history: string[] = [];
  let escape = "";
  let recalled = 0;
  let isAsked = false;
  const type = (keys: string): Keyed => {
    const pieces: string[] = [];
    let hasEnded = false;
    for (const key of keys) {
      if (escape !== "" || key === "\u001b") {
        escape += key;
        // A sequence starts with `ESC [` or `ESC O` and ends with a letter or `~`.
        if (escape.length < 3 && /^\u001b[[O]?$/.test(escape)) continue;
        if (/^\u001b\[[\d;]+$/.test(escape)) continue;
        const up = /^\u001b[[O]A$/.test(escape);
        if (up || /^\u001b[[O]B$/.test(escape)) {
          recalled = Math.min(history.length, Math.max(0, recalled + (up ? 1 : -1)));
          line.replace(recalled === 0 ? "" : (history.at(-recalled) ?? ""));
        } else line.move(escape);
        escape = "";
        continue;
      }
      isAsked = false;
      if (key === "\r" || key === "\n") {
        line.say("\r\n");
        pieces.push(`${line.text}\n`);
        if (line.text.trim() !== "") history.push(line.text);
        recalled = 0;
        line.forget();
      } else if (key === interruption) {
        line.say("^C\r\n");
        pieces.push(interruption);
        recalled = 0;
        line.forget();
      } else if (key === "\u0004") hasEnded ||= line.text === "";
      else if (key === "\t") {
        pieces.push(completionOf(line.text));
        isAsked = true;
      } else line.edit(key);
    }
    return { echo: line.takeOutput(), pieces, hasEnded };
  };
  const complete = (addition: string) => {
    const wasAsked = isAsked;
    isAsked = false;
    if (wasAsked && addition.length <= longestAddition && !/[\0-\x1f\x7f]/.test(addition)) line.add(addition);
    return wasAsked;
  };
  return { type, complete };
}

/** A line of letters with a cursor. It collects the output of its changes. */
class Line {
  #letters: string[] = [];
  #at = 0;
  #echo = "";

  get text(): string {
    return this.#letters.join("");
  }

  say(text: string): void {
    this.#echo += text;
  }

  takeOutput(): string {
    const echo = this.#echo;
    this.#echo = "";
    return echo;
  }

  forget(): void {
    this.#letters = [];
    this.#at = 0;
  }

  /** The program has printed the text. */
  add(text: string): void {
    this.#letters.push(...text);
    this.#at = this.#letters.length;
  }

  replace(text: string): void {
    this.#go(this.#letters.length);
    this.#echo += "\b \b".repeat(this.#letters.length) + text;
    this.#letters = [...text];
    this.#at = this.#letters.length;
  }

  /** Handles arrows, Home, End and Delete. */
  move(escape: string): void {
    const key = escape.replace(/^\u001b[[O]/, "");
    if (key === "C") this.#go(this.#at + 1);
    else if (key === "D") this.#go(this.#at - 1);
    else if (key === "H" || key === "1~" || key === "7~") this.#go(0);
    else if (key === "F" || key === "4~" || key === "8~") this.#go(this.#letters.length);
    else if (key === "3~") this.#cut(this.#at, this.#at + 1);
  }

  edit(key: string): void {
    if (key === "\u007f" || key === "\b") this.#cut(this.#at - 1, this.#at);
    else if (key === "\u0015") this.#cut(0, this.#at);
    else if (key === "\u000b") this.#cut(this.#at, this.#letters.length);
    else if (key === "\u0017") this.#cut(this.#wordBegin(), this.#at);
    else if (key === "\u0001") this.#go(0);
    else if (key === "\u0005") this.#go(this.#letters.length);
    else if (key === "\u000c") this.#echo += `\u001b[H\u001b[2J${this.text}`;
    else if (key >= " ") {
      const rest = this.#letters.slice(this.#at).join("");
      this.#letters.splice(this.#at++, 0, key);
      this.#echo += key + rest + "\b".repeat([...rest].length);
    }
  }

  #wordBegin(): number {
    let at = this.#at;
    while (at > 0 && this.#letters[at - 1] === " ") at--;
    while (at > 0 && this.#letters[at - 1] !== " ") at--;
    return at;
  }

  #go(to: number): void {
    const place = Math.min(this.#letters.length, Math.max(0, to));
    this.#echo += place < this.#at ? "\b".repeat(this.#at - place) : this.#letters.slice(this.#at, place).join("");
    this.#at = place;
  }

  #cut(from: number, to: number): void {
    const [begin, end] = [Math.max(0, from), Math.min(this.#letters.length, to)];
    if (end <= begin) return;
    this.#go(begin);
    this.#letters.splice(begin, end - begin);
    const rest = this.#letters.slice(begin).join("");
    this.#echo += rest + " ".repeat(end - begin) + "\b".repeat([...rest].length + end - begin);
  }
}
