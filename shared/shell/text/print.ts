// What `echo`, `seq`, `basename` and `dirname` print.
import { trimmedEnd } from "../../base/trim.ts";
import { unescaped } from "../escapes.ts";
import { options, shortened } from "../options.ts";
import { isBusybox, type TextCall } from "./call.ts";

/** `isDash`: it reads backslashes without being asked, and no other option than `-n`. */
export function echoed(args: readonly string[], isDash: boolean): string {
  const first = args.findIndex((arg) => !(isDash ? /^-n$/ : /^-[neE]+$/).test(arg));
  const [own, words] = first < 0 ? [args, []] : [args.slice(0, first), args.slice(first)];
  const all = own.join("");
  const text = words.join(" ");
  return (all.includes("e") || isDash ? unescaped(text) : text) + (all.includes("n") ? "" : "\n");
}

/** The numbers of `seq`, each with what stands behind it; undefined for what are none, and for a step of zero. */
export function sequence(args: readonly string[]): Generator<string, void, undefined> | undefined {
  // `-s` stands between the numbers, `-w` makes them as wide as the widest.
  const { values, flags, rest } = options(
    args.map((arg) => (/^-[\d.]/.test(arg) ? ` ${arg}` : arg)),
    "sf",
  );
  const texts = rest.map((one) => one.trim());
  const [first = "1", second, third] = texts.length === 1 ? ["1", texts[0]] : texts;
  const [from = 0, by = 0, to = 0] = (
    third === undefined ? [first, "1", second ?? "0"] : [first, second ?? "1", third]
  ).map(Number);
  const places = Math.max(
    ...[first, third === undefined ? "1" : (second ?? "")].map((one) => one.split(".")[1]?.length ?? 0),
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

/** `basename`: the last part of a path, or of several. */
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

/** `dirname`: all but the last part of paths. */
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

function folderName(given: string): string {
  const path = trimmedEnd(given, "/");
  const at = path.lastIndexOf("/");
  if (path === "" && given !== "") return "/";
  return at < 0 ? "." : trimmedEnd(path.slice(0, at), "/") || "/";
}
