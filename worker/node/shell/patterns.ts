// The patterns of `case`, `${name%pattern}` and file names: `*`, `?` and `[...]`.

export function patternOf(glob: string, within = "[\\s\\S]"): RegExp {
  return new RegExp(`^${sourceOf(glob, within)}$`);
}

/** The source of a regular expression for a glob; `within` is what `*` and `?` stand for. */
export function sourceOf(glob: string, within: string, lazy = false): string {
  return glob.replace(/\\.|\*|\?|\[[!^]?[^\]]+\]|[.+^${}()|/\\[\]]/g, (found) => {
    if (found === "*") return `${within}*${lazy ? "?" : ""}`;
    if (found === "?") return within;
    if (/^\[.+\]$/.test(found)) return found.replace(/^\[!/, "[^").replace(/\\/g, "\\\\");
    return found.startsWith("\\") && found.length > 1 ? `\\${found.slice(1)}` : `\\${found}`;
  });
}

export function hasPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/** A pattern in which nothing is special. */
export function escaped(text: string): string {
  return text.replace(/[*?[\]\\]/g, "\\$&");
}
