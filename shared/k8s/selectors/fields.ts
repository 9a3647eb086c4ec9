// Field selectors: `spec.nodeName=a,status.phase!=Running`.
import { ApiError } from "../status.ts";

export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

export interface FieldSelector {
  readonly terms: readonly FieldTerm[];
  matches(values: Readonly<Record<string, string>>): boolean;
}

/** Parses a field selector. Throws 400 if it is malformed. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text)
    .filter(Boolean)
    .sort()
    .map((term) => parseTerm(term, text))
    // An empty term selects everything.
    .filter(({ field, value }) => field !== "" || value !== "");
  return {
    terms,
    matches: (values) =>
      terms.every(({ field, operator, value }) => ((values[field] ?? "") === value) === (operator === "=")),
  };
}

/** Splits at commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const terms = [""];
  let isEscaped = false;
  for (const character of text) {
    if (character === "," && !isEscaped) terms.push("");
    else terms[terms.length - 1] += character;
    isEscaped = character === "\\" && !isEscaped;
  }
  return terms;
}

function parseTerm(term: string, selectorText: string): FieldTerm {
  const match = /^([^=!]*(?:!(?!=)[^=!]*)*)(!=|==?)(.*)$/s.exec(term);
  if (!match) throw ApiError.badRequest(`invalid selector: '${selectorText}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = match;
  return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
}

/** Resolves the escapes `\\`, `\,` and `\=`. */
function unescapeValue(value: string): string {
  let text = "";
  for (let at = 0; at < value.length; at++) {
    const character = value[at] ?? "";
    if (character === "," || character === "=") {
      throw ApiError.badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    }
    if (character !== "\\") {
      text += character;
      continue;
    }
    at += 1;
    const next = value[at] ?? "";
    if (next !== "\\" && next !== "," && next !== "=") {
      throw ApiError.badRequest(`invalid field selector: invalid escape sequence: \\${next}`);
    }
    text += next;
  }
  return text;
}
