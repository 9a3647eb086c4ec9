// Patterns of `.Files.Glob`: `*`, `**`, `?`, `[a-z]` and `{a,b}`.
import { compilePattern, isPattern } from "../../../../../shared/base/pattern.ts";

/** The work of one pattern on all files in microseconds. */
const matchUnits = 1_000_000;

/** Returns a test of paths. An invalid pattern matches every path. */
export function globPattern(glob: string): (path: string) => boolean {
  let braces = 0;
  const source = glob.replaceAll(/\*\*|\\.|\[!|[\s\S]/g, (token) => {
    switch (token) {
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "[!":
        return "[^";
      case "[":
      case "]":
      case "-":
        return token;
      case "{":
        braces++;
        return "(?:";
      case "}":
        if (braces === 0) return "\\}";
        braces--;
        return ")";
      case ",":
        return braces > 0 ? "|" : ",";
      default:
        return token.slice(-1).replace(/[\\.+^${}()|]/, "\\$&");
    }
  });
  const pattern = compilePattern(`(?s)^${source}$`, { withoutGroups: true });
  if (!isPattern(pattern)) return () => true;
  let left = matchUnits;
  return (path) =>
    pattern.test(path, (units) => {
      left -= units;
      if (left < 0) throw new Error("a pattern of files takes longer than a page may spend");
      return true;
    });
}
