// Escapes names of fields that are not identifiers of CEL: `a-b` is `a__dash__b` in expressions.
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

/** Returns the name of an escaped one; undefined if the text is not the result of escaping. */
export function unescapeName(escaped: string): string | undefined {
  let isValid = true;
  const name = escaped.replace(/__([^_]+)__/g, (all, meaning: string) => {
    if (Object.hasOwn(meanings, meaning)) return meanings[meaning] ?? "";
    if (!reserved.has(meaning) || all !== escaped) isValid = false;
    return meaning;
  });
  return isValid ? name : undefined;
}
