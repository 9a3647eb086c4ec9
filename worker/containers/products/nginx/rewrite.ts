// nginx' rewriting: `set`, `if`, `rewrite`, `return` and `break`, done in the order in which they are written.
import type { Found } from "./found.ts";
import type { Directive } from "./config.ts";
import type { Blocks } from "./tree.ts";
import { type Asking, filled, headerOf, matchedBy, valueOf } from "./variables.ts";

export type Rewritten =
  | { readonly kind: "returned"; readonly found: Found }
  /** Another path: its location is looked for. */
  | { readonly kind: "again" }
  /** `more`: blocks of `if` that count from now on, the innermost first. */
  | { readonly kind: "goes on"; readonly more: Blocks };

export function rewritten(asking: Asking, block: readonly Directive[]): Rewritten {
  const more: (readonly Directive[])[] = [];
  let isOther = false;
  for (const one of block) {
    const { name, args, body } = one;
    if (name === "set") asking.made.set((args[0] ?? "").replace(/^\$/, ""), filled(asking, args[1] ?? ""));
    else if (name === "break") break;
    else if (name === "return") return { kind: "returned", found: returning(asking, args) };
    else if (name === "rewrite") {
      const done = rewrite(asking, args);
      if (done === undefined) continue;
      if (typeof done === "object") return { kind: "returned", found: done };
      if (done === "break") return { kind: "goes on", more };
      isOther = true;
      if (done === "last") break;
    } else if (name === "if" && body && holds(asking, args)) {
      const inner = rewritten(asking, body);
      if (inner.kind !== "goes on") return inner;
      more.unshift(...inner.more, body);
    }
  }
  return isOther ? { kind: "again" } : { kind: "goes on", more };
}

/** `rewrite ^/old/(.*)$ /new/$1 last;`: undefined where the expression does not match. */
function rewrite(
  asking: Asking,
  [source = "", to = "", flag = ""]: readonly string[],
): Found | "last" | "break" | "on" | undefined {
  if (!matchedBy(asking, source, asking.uri)) return undefined;
  const target = filled(asking, to);
  const isAbsolute = /^(https?:\/\/|\$scheme)/.test(to);
  if (isAbsolute || flag === "redirect" || flag === "permanent") {
    const args = asking.args === "" || target.endsWith("?") ? "" : `${target.includes("?") ? "&" : "?"}${asking.args}`;
    const status = flag === "permanent" ? 301 : 302;
    return { status, headers: [["Location", whole(asking, target.replace(/\?$/, "") + args)]] };
  }
  const [uri = "", own] = target.split(/\?(.*)/s);
  asking.uri = uri;
  if (own !== undefined) asking.args = own === "" ? "" : [own, asking.args].filter((one) => one !== "").join("&");
  return flag === "last" || flag === "break" ? flag : "on";
}

/** `200 "text"`, `301 https://...`, `404`. */
function returning(asking: Asking, args: readonly string[]): Found {
  const [code = "", ...rest] = args;
  const hasCode = /^\d{3}$/.test(code);
  const said = filled(asking, (hasCode ? rest : args).join(" "));
  const status = hasCode ? Number(code) : 302;
  if ([301, 302, 303, 307, 308].includes(status) && said !== "")
    return { status, headers: [["Location", whole(asking, said)]] };
  return said === "" ? { status } : { status, contentType: "text/plain", body: said };
}

/** Where a visitor is sent: nginx writes the whole address of what is on its own server, unless it was asked by no name. */
export function whole({ visit, isTls }: Asking, target: string): string {
  if (!target.startsWith("/")) return target;
  const host = headerOf(visit, "host");
  if (host === undefined) return target;
  const { port = 80 } = visit;
  const own = isTls ? 443 : 80;
  return `${isTls ? "https" : "http"}://${host.replace(/:\d+$/, "")}${port === own ? "" : `:${port}`}${target}`;
}

/** `($a = b)`, `($a != b)`, `($a ~ expression)`, `(-f path)`, `($a)`. */
function holds(asking: Asking, args: readonly string[]): boolean {
  const [left = "", sign = "", ...more] = wordsOf(args);
  if (more.length > 0) {
    const value = left.startsWith("$") ? valueOf(asking, left.replace(/^\$\{?|\}$/g, "")) : left;
    const given = more.join(" ");
    if (sign === "=" || sign === "!=") return (value === filled(asking, given)) === (sign === "=");
    return matchedBy(asking, given, value, sign.endsWith("*")) !== sign.startsWith("!");
  }
  if (/^!?-[fdex]$/.test(left)) {
    const { files } = asking.visit;
    const full = filled(asking, sign);
    const isFile = files.get(full)?.text !== undefined;
    const is = left.endsWith("f") ? isFile : left.endsWith("d") ? files.isFolder(full) : files.exists(full);
    return is !== left.startsWith("!");
  }
  const value = filled(asking, left);
  return value !== "" && value !== "0";
}

/** Without the parentheses around them. */
function wordsOf(args: readonly string[]): readonly string[] {
  const words = [...args];
  words[0] = (words[0] ?? "").replace(/^\(/, "");
  const last = words.length - 1;
  if (words[last]?.endsWith(")")) words[last] = words[last].slice(0, -1);
  return words.filter((one) => one !== "");
}
