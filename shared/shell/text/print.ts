// The output of `echo`, `seq`, `basename` and `dirname`.
import { trimmedEnd } from "../../base/trim.ts";
import { unescaped } from "../escapes.ts";
import { options, shortened } from "../options.ts";
import { isBusybox, type TextCall } from "./call.ts";

/** Returns the output of `echo`. `isDash`: it always resolves backslashes, and has no option but `-n`. */
export function echoed(args: readonly string[], isDash: boolean): string {
  const first = args.findIndex((arg) => !(isDash ? /^-n$/ : /^-[neE]+$/).test(arg));
  const [flagWords, words] = first < 0 ? [args, []] : [args.slice(0, first), args.slice(first)];
  const all = flagWords.join("");
  const text = words.join(" ");
  return (all.includes("e") || isDash ? unescaped(text) : text) + (all.includes("n") ? "" : "\n");
}

/** Yields the numbers of `seq`, each with its separator. Undefined for invalid numbers, and for a step of zero. */
export function sequence(args: readonly string[]): Generator<string, void, undefined> | undefined {
  // `-s` is the separator, `-w` pads to the same width.
  const { values, flags, rest } = options(
    args.map((arg) => (/^-[\d.]/.test(arg) ? ` ${arg}` : arg)),
    "sf",
  );
  const texts = rest.map((operand) => operand.trim());
  const [first = "1", second, third] = texts.length === 1 ? ["1", texts[0]] : texts;
  const [from = 0, by = 0, to = 0] = (
    third === undefined ? [first, "1", second ?? "0"] : [first, second ?? "1", third]
  ).map(Number);
  const places = Math.max(
    ...[first, third === undefined ? "1" : (second ?? "")].map((number) => number.split(".")[1]?.length ?? 0),
  );
  const width = flags.has("w") ? Math.max(from.toFixed(places).length, to.toFixed(places).length) : 0;
  if (by === 0 || [from, by, to].some(Number.isNaN)) return undefined;
  const count = Math.floor((to - from) / by + 1e-9) + 1;
  const mark = values.get("s") ?? "\n";
  return (function* () {
    for (let at = 0; at < count; at++)
      yield (from + at * by).toFixed(places).padStart(width, "0") + (at + 1 < count ? mark : "\n");
  })();
}

/** The program `basename`: prints the last segment of one path or several. */
export function baseNames(call: TextCall): number {
  const { flags, values, rest } = options(shortened(call.args, { multiple: "a", suffix: "s", zero: "z" }), "s");
  const isSeveral = flags.has("a") || values.has("s");
  const [first, suffix] = rest;
  if (first === undefined) return refuseOperands(call, "missing operand");
  if (!isSeveral && rest.length > 2) return refuseOperands(call, `extra operand '${rest[2] ?? ""}'`);
  const names = isSeveral ? rest : [first];
  for (const name of names) call.out(`${baseName(name, values.get("s") ?? (isSeveral ? "" : (suffix ?? "")))}\n`);
  return 0;
}

/** The program `dirname`: prints paths without their last segment. */
export function folderNames(call: TextCall): number {
  const { rest } = options(call.args);
  if (rest.length === 0) return refuseOperands(call, "missing operand");
  for (const name of isBusybox(call) ? rest.slice(0, 1) : rest) call.out(`${folderName(name)}\n`);
  return 0;
}

function refuseOperands(call: TextCall, problem: string): number {
  const { name } = call;
  call.err(
    isBusybox(call)
      ? `BusyBox v1.36.1 multi-call binary.\n\nUsage: ${name} FILE\n`
      : `${name}: ${problem}\nTry '${name} --help' for more information.\n`,
  );
  return 1;
}

function baseName(path: string, suffix: string): string {
  const name = trimmedEnd(path, "/").split("/").at(-1) || (path === "" ? "" : "/");
  return suffix !== "" && name.endsWith(suffix) && name !== suffix ? name.slice(0, -suffix.length) : name;
}

function folderName(pathText: string): string {
  const path = trimmedEnd(pathText, "/");
  const at = path.lastIndexOf("/");
  if (path === "" && pathText !== "") return "/";
  return at < 0 ? "." : trimmedEnd(path.slice(0, at), "/") || "/";
}
