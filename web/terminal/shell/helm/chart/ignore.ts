// The rules of .helmignore.
import { compilePattern, compileUnits, isPattern, type Spend } from "../../../../../shared/base/pattern.ts";

/** The work of all rules on all files of a chart in microseconds, and that of looking at one rule. */
const loadUnits = 3_000_000;
const ruleUnits = 0.1;

interface Rule {
  readonly isNegated: boolean;
  readonly isFolderOnly: boolean;
  matches(name: string): boolean;
}

/** Returns a test of a path below the chart, and of whether it is a folder. Throws upstream's error for an invalid rule. */
export function ignoreRules(text: string): (name: string, isFolder: boolean) => boolean {
  let left = loadUnits;
  const spend = (units: number) => {
    left -= units;
    if (left < 0) throw new Error("the rules of .helmignore take longer than a page may spend");
    return true;
  };
  const lines = [...text.replace(/^\ufeff/, "").split("\n"), "templates/.?*"];
  const rules = lines.flatMap((line) => ruleOf(line.trim(), spend));
  return (name, isFolder) => {
    spend(rules.length * ruleUnits);
    for (const rule of rules) {
      if (rule.isNegated) {
        if (rule.isFolderOnly && !isFolder) return true;
        if (!rule.matches(name)) return true;
      } else if (rule.matches(name) && (isFolder || !rule.isFolderOnly)) return true;
    }
    return false;
  };
}

function ruleOf(line: string, spend: Spend): Rule[] {
  if (line === "" || line.startsWith("#")) return [];
  if (line.includes("**")) throw new Error("double-star (**) syntax is not supported");
  const isNegated = line.startsWith("!");
  let body = isNegated ? line.slice(1) : line;
  const isFolderOnly = body.endsWith("/");
  if (isFolderOnly) body = body.slice(0, -1);
  const isRooted = body.startsWith("/");
  const pattern = globPattern(isRooted ? body.slice(1) : body, spend);
  const usesPath = isRooted || body.includes("/");
  const matches = (name: string) => pattern(usesPath ? name : name.slice(name.lastIndexOf("/") + 1));
  return [{ isNegated, isFolderOnly, matches }];
}

/** Returns a test by a pattern of Go's filepath.Match. Throws Go's error for an invalid one. */
function globPattern(glob: string, spend: Spend): (name: string) => boolean {
  const source = glob.replaceAll(/\[\^|\\?[\s\S]/g, (token) => {
    if (token === "*") return "[^/]*";
    if (token === "?") return "[^/]";
    if (token === "[^" || token === "[" || token === "]" || token === "-") return token;
    return token.slice(-1).replace(/[.+^${}()|\\*?[\]-]/, "\\$&");
  });
  spend(compileUnits(source));
  const pattern = compilePattern(`^${source}$`, { withoutGroups: true });
  if (!isPattern(pattern)) throw new Error("syntax error in pattern");
  return (name) => pattern.test(name, spend);
}
