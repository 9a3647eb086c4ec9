// The terminal between a person's keys and a program: shows what is typed, lets it be mended, and hands on whole lines.

export interface Keyed {
  /** What the person is shown. */
  readonly echo: string;
  /** Lines, and interruptions. */
  readonly pieces: readonly string[];
  /** Ctrl-D at the beginning of a line. */
  readonly hasEnded: boolean;
}

const interruption = "\u0003";

/** Answers to keys; it remembers the line that is being typed, and those before it. */
export function newTerminal(): (keys: string) => Keyed {
  let line = "";
  let escape = "";
  let recalled = 0;
  const history: string[] = [];
  return (keys) => {
    let echo = "";
    const pieces: string[] = [];
    let hasEnded = false;
    const replace = (text: string) => {
      echo += "\b \b".repeat([...line].length) + text;
      line = text;
    };
    for (const key of keys) {
      if (escape !== "" || key === "\u001b") {
        escape += key;
        // A sequence ends with a letter; `ESC [` and `ESC O` begin one.
        if (escape.length < 3 && /^\u001b[[O]?$/.test(escape)) continue;
        if (/^\u001b\[[\d;]+$/.test(escape)) continue;
        const up = /^\u001b[[O]A$/.test(escape);
        if (up || /^\u001b[[O]B$/.test(escape)) {
          recalled = Math.min(history.length, Math.max(0, recalled + (up ? 1 : -1)));
          replace(recalled === 0 ? "" : (history.at(-recalled) ?? ""));
        }
        escape = "";
      } else if (key === "\r" || key === "\n") {
        echo += "\r\n";
        pieces.push(`${line}\n`);
        if (line.trim() !== "") history.push(line);
        recalled = 0;
        line = "";
      } else if (key === interruption) {
        echo += "^C\r\n";
        pieces.push(interruption);
        recalled = 0;
        line = "";
      } else if (key === "\u0004") {
        hasEnded ||= line === "";
      } else if (key === "\u007f" || key === "\b") {
        replace([...line].slice(0, -1).join(""));
      } else if (key === "\u0015") {
        replace("");
      } else if (key >= " ") {
        line += key;
        echo += key;
      }
    }
    return { echo, pieces, hasEnded };
  };
}
