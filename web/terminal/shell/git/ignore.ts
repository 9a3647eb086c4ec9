// The rules of `.gitignore`, matched as upstream's `dir.c` and `wildmatch.c` do. The work is at most rules times paths, and is charged.
import type { Spend } from "../../../../shared/base/pattern.ts";
import { trimmedEnd } from "../../../../shared/base/trim.ts";
import { type Glob, globMatches, globOf } from "../../../../shared/shell/patterns/glob.ts";
import { readLetters } from "../../../../shared/shell/patterns/letters.ts";

export interface IgnoreRule {
  /** The file of the rule, and its line. */
  readonly source: string;
  readonly line: number;
  readonly pattern: string;
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
  /** The globs of the path's segments, or one glob of the name. Undefined for an invalid pattern, which matches nothing. */
  readonly globs: readonly (Glob | "**")[] | undefined;
  readonly usesPath: boolean;
}

/** Units of looking at one rule. */
const ruleUnits = 0.1;

/** Parses the text of a `.gitignore`. */
export function ignoreRules(text: string, source: string): IgnoreRule[] {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  return lines.flatMap((line, at) => ruleOf(line.replace(/\r$/, ""), source, at + 1));
}

function ruleOf(text: string, source: string, line: number): IgnoreRule[] {
  const pattern = text.startsWith("#") ? "" : withoutBlanks(text);
  if (pattern === "") return [];
  const isNegated = pattern.startsWith("!");
  let body = isNegated ? pattern.slice(1) : pattern;
  const isFolderOnly = body.endsWith("/");
  if (isFolderOnly) body = body.slice(0, -1);
  const usesPath = body.includes("/");
  const segments = segmentsOf(body.startsWith("/") ? body.slice(1) : body);
  const globs = segments?.map((segment) => (usesPath && /^\*\*+$/.test(segment) ? "**" : globOf(segment)));
  return [{ source, line, pattern, isNegated, isFolderOnly, globs, usesPath }];
}

/** Removes the spaces at the end, except one after a backslash. */
function withoutBlanks(text: string): string {
  const short = trimmedEnd(text, " ");
  const backslashes = short.length - trimmedEnd(short, "\\").length;
  return backslashes % 2 === 1 && short.length < text.length ? `${short} ` : short;
}

/** Splits a pattern at its slashes. Undefined if a bracket is not closed, or if it ends with a backslash. */
function segmentsOf(pattern: string): string[] | undefined {
  const segments: string[] = [];
  let start = 0;
  for (let at = 0; at < pattern.length; ) {
    const letter = pattern.charAt(at);
    if (letter === "[") {
      const set = readLetters(pattern, at);
      if (!set) return undefined;
      at = set.end;
    } else if (letter === "\\") {
      if (at + 1 === pattern.length) return undefined;
      at += 2;
    } else {
      if (letter === "/") {
        segments.push(pattern.slice(start, at));
        start = at + 1;
      }
      at++;
    }
  }
  return [...segments, pattern.slice(start)];
}

function matches({ globs, usesPath }: IgnoreRule, segments: readonly string[], spend: Spend): boolean {
  if (!globs) return false;
  if (usesPath) return matchesPath(globs, segments, spend);
  const [glob] = globs;
  return glob !== undefined && glob !== "**" && globMatches(glob, segments.at(-1) ?? "", spend);
}

/** Matches segment by segment. After a mismatch the last `**` takes one more segment; earlier ones need no retry. */
function matchesPath(globs: readonly (Glob | "**")[], segments: readonly string[], spend: Spend): boolean {
  let [at, next] = [0, 0];
  let [star, starAt] = [-1, 0];
  const last = globs.length - 1;
  while (at < segments.length) {
    const glob = globs[next];
    if (glob === "**") {
      if (next === last) return true;
      star = next++;
      starAt = at;
    } else if (glob !== undefined && globMatches(glob, segments[at] ?? "", spend)) {
      at++;
      next++;
    } else if (star >= 0) {
      at = ++starAt;
      next = star + 1;
    } else return false;
  }
  return next === globs.length;
}

/** The rules of a working tree's folders. */
export class IgnoredPaths {
  readonly #read: (path: string) => string | undefined;
  /** The rules of the repository, below those of all folders. */
  readonly #common: readonly IgnoreRule[];
  readonly #spend: Spend;
  readonly #rules = new Map<string, readonly IgnoreRule[]>();
  readonly #folders = new Map<string, IgnoreRule | undefined>();

  constructor(read: (path: string) => string | undefined, common: readonly IgnoreRule[], spend: Spend) {
    this.#read = read;
    this.#common = common;
    this.#spend = spend;
  }

  isIgnored(path: string): boolean {
    const rule = this.ruleFor(path, false);
    return rule !== undefined && !rule.isNegated;
  }

  /** Returns the rule that decides about a path: that of the topmost ignored folder, or the path's own. */
  ruleFor(path: string, isFolder: boolean): IgnoreRule | undefined {
    const segments = path.split("/");
    for (let depth = 1; depth < segments.length; depth++) {
      const folder = segments.slice(0, depth).join("/");
      let rule = this.#folders.get(folder);
      if (!rule && !this.#folders.has(folder)) {
        rule = this.#lastMatch(segments.slice(0, depth), true);
        this.#folders.set(folder, rule);
      }
      if (rule && !rule.isNegated) return rule;
    }
    return this.#lastMatch(segments, isFolder);
  }

  #lastMatch(segments: readonly string[], isFolder: boolean): IgnoreRule | undefined {
    for (let depth = segments.length - 1; depth >= 0; depth--) {
      const rules = this.#rulesIn(
        segments
          .slice(0, depth)
          .map((name) => `${name}/`)
          .join(""),
      );
      const rule = this.#lastOf(rules, segments.slice(depth), isFolder);
      if (rule) return rule;
    }
    return this.#lastOf(this.#common, segments, isFolder);
  }

  #lastOf(rules: readonly IgnoreRule[], segments: readonly string[], isFolder: boolean): IgnoreRule | undefined {
    this.#spend((1 + rules.length) * ruleUnits);
    return rules.findLast((rule) => (isFolder || !rule.isFolderOnly) && matches(rule, segments, this.#spend));
  }

  #rulesIn(folder: string): readonly IgnoreRule[] {
    let rules = this.#rules.get(folder);
    if (!rules) {
      const source = `${folder}.gitignore`;
      rules = ignoreRules(this.#read(source) ?? "", source);
      this.#rules.set(folder, rules);
    }
    return rules;
  }
}
