// Programs that print and change text.
import { base64Of, tryBytesOfBase64 } from "../../../../shared/base/base64.ts";
import { byteLength, bytesOfText, textOfBytes } from "../../../../shared/base/byte-text.ts";
import { absolute } from "../files.ts";
import { isTyped, takeAll, takeLine } from "../input.ts";
import { advance, edit } from "../process.ts";
import { type Call, joined, linesOf, options, type Programs } from "../program.ts";
import { unescaped } from "../words.ts";

export const textPrograms: Programs = {
  echo: ({ args, out, shell }) => {
    const flags = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
    const [own, words] = flags < 0 ? [args, []] : [args.slice(0, flags), args.slice(flags)];
    const text = words.join(" ");
    const all = own.join("");
    out((all.includes("e") || shell.escapes ? unescaped(text) : text) + (all.includes("n") ? "" : "\n"));
    return 0;
  },
  printf: ({ args, out }) => {
    out(printed(args[0] ?? "", args.slice(1)));
    return 0;
  },
  cat: (call) => {
    if (!isTyped(call.input) || call.args.some((arg) => !arg.startsWith("-"))) {
      return perFile(call, (text) => call.out(text));
    }
    for (let line; (line = takeLine(call.process, call.input)) !== undefined; ) call.out(line);
    return 0;
  },
  head: (call) => {
    const count = countOf(call.args);
    const bytes = options(call.args, "nc").values.get("c");
    const first = (text: string) =>
      bytes === undefined
        ? joined(linesOf(text).slice(0, count))
        : textOfBytes(bytesOfText(text).subarray(0, Number(bytes)));
    return perFile(call, (text) => call.out(first(text)), "nc");
  },
  tail,
  grep,
  egrep: grep,
  fgrep: grep,
  wc: (call) => {
    const { flags } = options(call.args);
    return perFile(call, (text) => {
      const counts = { l: linesOf(text).length, w: text.split(/\s+/).filter(Boolean).length, c: byteLength(text) };
      const wanted = (["l", "w", "c"] as const).filter((one) => flags.size === 0 || flags.has(one));
      call.out(`${wanted.map((one) => String(counts[one])).join(" ")}\n`);
    });
  },
  sort: (call) => {
    const { flags } = options(call.args, "kt");
    return perFile(call, (text) => {
      const lines = linesOf(text).sort(
        flags.has("n") ? (a, b) => Number.parseFloat(a) - Number.parseFloat(b) : undefined,
      );
      const kept = flags.has("u") ? [...new Set(lines)] : lines;
      call.out(joined(flags.has("r") ? kept.reverse() : kept));
    });
  },
  uniq: (call) =>
    perFile(call, (text) => call.out(joined(linesOf(text).filter((line, at, all) => line !== all[at - 1])))),
  rev: (call) => perFile(call, (text) => call.out(joined(linesOf(text).map((line) => [...line].reverse().join(""))))),
  cut,
  tr: ({ process, args, input, out }) => {
    const { flags, rest } = options(args);
    const text = takeAll(process, input);
    if (text !== undefined) out(translated(text, rest, flags));
    return 0;
  },
  sed,
  awk: (call) => {
    const field = /^\{\s*print\s+\$(\d+|NF)\s*;?\s*\}$/.exec(call.args.find((arg) => arg.startsWith("{")) ?? "")?.[1];
    const pick = (line: string) => {
      const words = line.trim().split(/\s+/);
      return field === undefined || field === "0"
        ? line
        : ((field === "NF" ? words.at(-1) : words[Number(field) - 1]) ?? "");
    };
    return perFile(
      { ...call, args: call.args.filter((arg) => !arg.startsWith("{")) },
      (text) => call.out(joined(linesOf(text).map(pick))),
      "Fv",
    );
  },
  tee: ({ shell, process, args, input, out }) => {
    const { flags, rest } = options(args);
    const text = takeAll(process, input);
    if (text === undefined) return 0;
    for (const name of rest) {
      const path = absolute(name, shell.folder);
      edit(process, { path, text: flags.has("a") ? (process.files.get(path)?.text ?? "") + text : text });
    }
    out(text);
    return 0;
  },
  seq: ({ args, out }) => {
    const numbers = args.filter((arg) => /^-?\d/.test(arg)).map(Number);
    const [from, by, to] =
      numbers.length > 2 ? numbers : numbers.length === 2 ? [numbers[0], 1, numbers[1]] : [1, 1, numbers[0]];
    const lines: string[] = [];
    for (let at = from ?? 1; (by ?? 1) > 0 ? at <= (to ?? 0) : at >= (to ?? 0); at += by || 1) {
      if (lines.push(String(at)) >= 100_000) break;
    }
    out(joined(lines));
    return 0;
  },
  yes: ({ process }) => {
    advance(process, Number.POSITIVE_INFINITY);
    return 0;
  },
  basename: ({ args, out }) => {
    const name = (args[0] ?? "").replace(/\/+$/, "").split("/").at(-1) ?? "";
    const suffix = args[1] ?? "";
    out(`${suffix !== "" && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name}\n`);
    return 0;
  },
  dirname: ({ args, out }) => {
    const at = (args[0] ?? "").replace(/\/+$/, "").lastIndexOf("/");
    out(`${at < 0 ? "." : (args[0] ?? "").slice(0, at) || "/"}\n`);
    return 0;
  },
  base64: (call) => {
    const { flags } = options(call.args, "w");
    return perFile(call, (text) =>
      call.out(flags.has("d") || flags.has("decode") ? fromBase64(text) : `${base64Of(bytesOfText(text))}\n`),
    );
  },
};

/** What the files named in the arguments hold, or the input; the code is 1 if one of them is not there. */
export function perFile(call: Call, use: (text: string) => void, withValue = ""): number {
  const { shell, process, input, err, name } = call;
  const { rest } = options(call.args, withValue);
  if (rest.length === 0) {
    if (input === undefined && process.interactive) advance(process, Number.POSITIVE_INFINITY);
    const text = takeAll(process, input);
    if (text !== undefined) use(text);
    return 0;
  }
  let code = 0;
  for (const one of rest) {
    const path = absolute(one, shell.folder);
    const text = one === "-" ? takeAll(process, input) : process.files.get(path)?.text;
    if (text !== undefined) use(text);
    else if (path === "/dev/null") use("");
    else {
      err(`${name}: ${name === "cat" ? "can't open " : ""}'${one}': No such file or directory\n`.replace("''", "'"));
      code = 1;
    }
  }
  return code;
}

function countOf(args: readonly string[]): number {
  const { values } = options(args, "nc");
  const short = args.find((arg) => /^-\d+$/.test(arg));
  return Number(values.get("n") ?? short?.slice(1) ?? 10);
}

/** `tail -f` prints what comes, as far as the process is followed. */
function tail(call: Call): number {
  const { args, process, shell, out } = call;
  const { flags, rest, values } = options(args, "nc");
  const follows = flags.has("f") || flags.has("F") || flags.has("follow") || values.has("follow");
  const from = values.get("n") ?? String(countOf(args));
  const bytes = values.get("c");
  const take = (text: string) => {
    if (bytes !== undefined) {
      const all = bytesOfText(text);
      return textOfBytes(bytes.startsWith("+") ? all.subarray(Number(bytes) - 1) : all.slice(-Math.abs(Number(bytes))));
    }
    const lines = linesOf(text);
    return joined(
      from.startsWith("+") ? lines.slice(Number(from) - 1) : lines.slice(-Math.abs(Number(from)) || lines.length),
    );
  };
  if (!follows) return perFile(call, (text) => out(take(text)), "nc");
  const [name = ""] = rest.filter((one) => !/^\d+$/.test(one));
  const path = absolute(name, shell.folder);
  let seen = process.files.get(path)?.text ?? "";
  if (seen === "" && !process.files.has(path) && path !== "/dev/null" && !flags.has("F") && process.programs) {
    call.err(`tail: can't open '${name}': No such file or directory\n`);
    return 1;
  }
  out(take(seen));
  while (!process.paused) {
    const nextMs = process.outside[0]?.atMs ?? Number.POSITIVE_INFINITY;
    advance(process, nextMs - process.clockMs);
    const text = process.files.get(path)?.text ?? "";
    out(text.startsWith(seen) ? text.slice(seen.length) : text);
    seen = text;
  }
  return 0;
}

function grep(call: Call): number {
  const { flags, values, rest } = options(call.args, "eABCm");
  const pattern = values.get("e") ?? rest[0] ?? "";
  const files = values.has("e") ? rest : rest.slice(1);
  const matcher = regularExpression(
    pattern,
    flags.has("i") ? "i" : "",
    call.name === "fgrep" || flags.has("F"),
    flags.has("E") || call.name === "egrep",
  );
  const found: string[] = [];
  const code = perFile({ ...call, args: files }, (text) => {
    found.push(...linesOf(text).filter((line) => matcher.test(line) !== flags.has("v")));
  });
  if (flags.has("c")) call.out(`${found.length}\n`);
  else if (!flags.has("q"))
    call.out(joined(flags.has("o") ? found.map((line) => matcher.exec(line)?.[0] ?? "") : found));
  return found.length > 0 ? 0 : Math.max(code, 1);
}

/** A basic or extended expression; one that cannot be read matches its own text. */
function regularExpression(pattern: string, modes: string, plain: boolean, extended: boolean): RegExp {
  const literal = () => new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), modes);
  if (plain) return literal();
  const source = extended
    ? pattern
    : pattern.replace(/\\([+?|(){}])|([+?|(){}])/g, (_, special?: string, own?: string) => special ?? `\\${own ?? ""}`);
  const classes = source
    .replaceAll("[:space:]", "\\s")
    .replaceAll("[:digit:]", "\\d")
    .replaceAll("[:alnum:]", "A-Za-z0-9")
    .replaceAll("[:alpha:]", "A-Za-z");
  try {
    return new RegExp(classes, modes);
  } catch {
    return literal();
  }
}

function cut(call: Call): number {
  const { values } = options(call.args, "dfc");
  const fields = (values.get("f") ?? values.get("c") ?? "1").split(",").flatMap((one) => {
    const [first = "", last] = one.split("-");
    if (last === undefined) return [Number(first)];
    const end = last === "" ? 100 : Number(last);
    return [...Array(Math.max(end - Number(first || 1) + 1, 0)).keys()].map((at) => Number(first || 1) + at);
  });
  const mark = values.has("c") ? "" : (values.get("d") ?? "\t");
  return perFile(
    call,
    (text) => {
      const lines = linesOf(text).map((line) => {
        const parts = line.split(mark);
        if (parts.length === 1 && mark !== "") return line;
        return fields
          .map((one) => parts[one - 1])
          .filter((one) => one !== undefined)
          .join(mark);
      });
      call.out(joined(lines));
    },
    "dfc",
  );
}

function sed(call: Call): number {
  const { flags, values, rest } = options(call.args, "e");
  const script = values.get("e") ?? rest[0] ?? "";
  const files = values.has("e") ? rest : rest.slice(1);
  const parts = /^s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gi]*)$/.exec(script);
  const change = (text: string) => {
    if (!parts) return text;
    const [, , from = "", to = "", modes = ""] = parts;
    const matcher = regularExpression(from, modes, false, flags.has("E") || flags.has("r"));
    const by = to
      .replace(/\$/g, "$$$$")
      .replace(/\\(\d)/g, "$$$1")
      .replace(/(?<!\\)&/g, "$$&")
      .replace(/\\(.)/g, "$1");
    return joined(linesOf(text).map((line) => line.replace(matcher, by)));
  };
  if (!flags.has("i")) return perFile({ ...call, args: files }, (text) => call.out(change(text)));
  for (const name of files) {
    const path = absolute(name, call.shell.folder);
    const text = call.process.files.get(path)?.text;
    if (text !== undefined) edit(call.process, { path, text: change(text) });
  }
  return 0;
}

function translated(text: string, [from = "", to = ""]: readonly string[], flags: ReadonlySet<string>): string {
  const source = letters(from);
  const target = letters(to);
  const outside = flags.has("c") || flags.has("C");
  return [...text]
    .map((letter) => {
      const at = source.indexOf(letter);
      if (at >= 0 === outside) return letter;
      return flags.has("d") ? "" : (target[outside ? target.length - 1 : Math.min(at, target.length - 1)] ?? letter);
    })
    .join("");
}

function letters(set: string): string[] {
  const named: Record<string, string> = {
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:digit:]": "0-9",
    "[:alnum:]": "A-Za-z0-9",
    "[:space:]": " \t\n",
  };
  const plain = unescaped(set.replace(/\[:\w+:\]/g, (name) => named[name] ?? ""));
  return [
    ...plain.replace(/(.)-(.)/g, (_, first: string, last: string) => {
      const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
      return String.fromCharCode(...[...Array(Math.max(to - from + 1, 0)).keys()].map((at) => from + at));
    }),
  ];
}

function printed(format: string, args: readonly string[]): string {
  const left = [...args];
  let text = "";
  do {
    text += unescaped(format).replace(/%(-?0?\d*)(?:\.\d+)?([sdixXcobf%])/g, (_, width: string, letter: string) => {
      if (letter === "%") return "%";
      const value = left.shift() ?? "";
      const shown =
        letter === "d" || letter === "i"
          ? String(Number.parseInt(value, 10) || 0)
          : letter === "b"
            ? unescaped(value)
            : value;
      const size = Math.abs(Number(width)) || 0;
      return width.startsWith("-") ? shown.padEnd(size) : shown.padStart(size, width.startsWith("0") ? "0" : " ");
    });
  } while (left.length > 0 && /%[-\d.]*[sdixXcobf]/.test(format));
  return text;
}

function fromBase64(text: string): string {
  const bytes = tryBytesOfBase64(text.replace(/\s/g, ""));
  return bytes ? textOfBytes(bytes) : "";
}
