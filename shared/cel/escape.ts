// Names of fields as expressions write them: names that are no identifiers are escaped.
const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const marks: Readonly<Record<string, string>> = { __: "underscores", ".": "dot", "-": "dash", "/": "slash" };
const meanings: Readonly<Record<string, string>> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** Escapes a name. Returns undefined if expressions cannot refer to it. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (mark) => `__${marks[mark] ?? ""}__`);
}

export function unescapeName(escaped: string): string | undefined {
  let isWell = true;
  const name = escaped.replace(/__([^_]+)__/g, (all, meaning: string) => {
    if (Object.hasOwn(meanings, meaning)) return meanings[meaning] ?? "";
    if (!reserved.has(meaning) || all !== escaped) isWell = false;
    return meaning;
  });
  return isWell ? name : undefined;
}
