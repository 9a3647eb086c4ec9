// nginx's rewrite phase: `set`, `if`, `rewrite`, `return` and `break`, executed in the order of the configuration.
import type { Outcome } from "./outcome.ts";
import type { Directive } from "./parse-config.ts";
import type { Blocks } from "./configuration.ts";
import { type Asking, fillVariables, headerOf, matchedBy, valueOf } from "./variables.ts";

export type Rewritten =
  | { readonly kind: "returned"; readonly outcome: Outcome }
  /** The path changed, so its location is searched again. */
  | { readonly kind: "again" }
  /** `more`: the blocks of `if` that apply from now on, the innermost first. */
  | { readonly kind: "goes on"; readonly more: Blocks };

export function rewriteUrl(asking: Asking, block: readonly Directive[]): Rewritten {
  const more: (readonly Directive[])[] = [];
  let isPathChanged = false;
  for (const statement of block) {
    const { name, args, body } = statement;
    if (name === "set")
      asking.definedValues.set((args[0] ?? "").replace(/^\$/, ""), fillVariables(asking, args[1] ?? ""));
    else if (name === "break") break;
    else if (name === "return") return { kind: "returned", outcome: returnOutcome(asking, args) };
    else if (name === "rewrite") {
      const result = rewrite(asking, args);
      if (result === undefined) continue;
      if (typeof result === "object") return { kind: "returned", outcome: result };
      if (result === "break") return { kind: "goes on", more };
      isPathChanged = true;
      if (result === "last") break;
    } else if (name === "if" && body && isConditionTrue(asking, args)) {
      const inner = rewriteUrl(asking, body);
      if (inner.kind !== "goes on") return inner;
      more.unshift(...inner.more, body);
    }
  }
  return isPathChanged ? { kind: "again" } : { kind: "goes on", more };
}

/** Executes `rewrite ^/old/(.*)$ /new/$1 last;`. Returns "on" without a flag, and undefined if the expression does not match. */
function rewrite(
  asking: Asking,
  [source = "", to = "", flag = ""]: readonly string[],
): Outcome | "last" | "break" | "on" | undefined {
  if (!matchedBy(asking, source, asking.uri)) return undefined;
  const target = fillVariables(asking, to);
  const isAbsolute = /^(https?:\/\/|\$scheme)/.test(to);
  if (isAbsolute || flag === "redirect" || flag === "permanent") {
    const args = asking.args === "" || target.endsWith("?") ? "" : `${target.includes("?") ? "&" : "?"}${asking.args}`;
    const status = flag === "permanent" ? 301 : 302;
    return { status, headers: [["Location", absoluteUrl(asking, target.replace(/\?$/, "") + args)]] };
  }
  const [uri = "", newArgs] = target.split(/\?(.*)/s);
  asking.uri = uri;
  if (newArgs !== undefined)
    asking.args = newArgs === "" ? "" : [newArgs, asking.args].filter((pair) => pair !== "").join("&");
  return flag === "last" || flag === "break" ? flag : "on";
}

/** Executes `return` with `200 "text"`, `301 https://...` or `404`. */
function returnOutcome(asking: Asking, args: readonly string[]): Outcome {
  const [code = "", ...rest] = args;
  const hasCode = /^\d{3}$/.test(code);
  const text = fillVariables(asking, (hasCode ? rest : args).join(" "));
  const status = hasCode ? Number(code) : 302;
  if ([301, 302, 303, 307, 308].includes(status) && text !== "")
    return { status, headers: [["Location", absoluteUrl(asking, text)]] };
  return text === "" ? { status } : { status, contentType: "text/plain", body: text };
}

/** Returns the target of a redirect. nginx completes paths on its own server, unless the request had no host. */
export function absoluteUrl({ visit, isTls }: Asking, target: string): string {
  if (!target.startsWith("/")) return target;
  const host = headerOf(visit, "host");
  if (host === undefined) return target;
  const { port = 80 } = visit;
  const defaultPort = isTls ? 443 : 80;
  return `${isTls ? "https" : "http"}://${host.replace(/:\d+$/, "")}${port === defaultPort ? "" : `:${port}`}${target}`;
}

/** Evaluates `($a = b)`, `($a != b)`, `($a ~ expression)`, `(-f path)` and `($a)`. */
function isConditionTrue(asking: Asking, args: readonly string[]): boolean {
  const [left = "", operator = "", ...more] = wordsOf(args);
  if (more.length > 0) {
    const value = left.startsWith("$") ? valueOf(asking, left.replace(/^\$\{?|\}$/g, "")) : left;
    const operand = more.join(" ");
    if (operator === "=" || operator === "!=") return (value === fillVariables(asking, operand)) === (operator === "=");
    return matchedBy(asking, operand, value, operator.endsWith("*")) !== operator.startsWith("!");
  }
  if (/^!?-[fdex]$/.test(left)) {
    const { files } = asking.visit;
    const full = fillVariables(asking, operator);
    const isFile = files.get(full)?.text !== undefined;
    const is = left.endsWith("f") ? isFile : left.endsWith("d") ? files.isFolder(full) : files.exists(full);
    return is !== left.startsWith("!");
  }
  const value = fillVariables(asking, left);
  return value !== "" && value !== "0";
}

/** Returns the words of a condition without the parentheses around them. */
function wordsOf(args: readonly string[]): readonly string[] {
  const words = [...args];
  words[0] = (words[0] ?? "").replace(/^\(/, "");
  const last = words.length - 1;
  if (words[last]?.endsWith(")")) words[last] = words[last].slice(0, -1);
  return words.filter((word) => word !== "");
}
