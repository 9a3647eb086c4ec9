// What `echo`, `seq`, `basename` and `dirname` print.
import { trimmedEnd } from "../../base/trim.ts";
import { unescaped } from "../escapes.ts";
import { options } from "../options.ts";

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

export function baseName([path = "", suffix = ""]: readonly string[]): string {
  const name = trimmedEnd(path, "/").split("/").at(-1) ?? "";
  return suffix !== "" && name.endsWith(suffix) && name !== suffix ? name.slice(0, -suffix.length) : name;
}

export function folderName([given = ""]: readonly string[]): string {
  const path = trimmedEnd(given, "/");
  const at = path.lastIndexOf("/");
  return at < 0 ? "." : path.slice(0, at) || "/";
}
