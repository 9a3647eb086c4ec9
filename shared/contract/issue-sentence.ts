// Messages of validation errors in our words instead of the library's.
import type * as z from "zod";

/** An issue of the library before it has a message. Messages of the contract's schemas take precedence. */
type Issue = Parameters<z.core.$ZodErrorMap>[0];

const typeWords: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** Returns the text after the field's name: `must be a text`. */
export function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${typeWords[issue.expected] ?? "of another type"}`;
    case "too_big":
      return sizeSentence(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "too_small":
      return sizeSentence(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of " : ""}${issue.values.map(String).join(", ")}`;
    case "invalid_format":
      return issue.format === "datetime"
        ? "must be a time such as 2026-01-31T12:00:00Z"
        : "does not have the right form";
    case "unrecognized_keys":
      return "is not a field of this request";
    case "invalid_key":
      return "has a name that is not valid";
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_element":
    case "custom":
      return "is not valid";
  }
}

function sizeSentence(origin: string, bound: string, size: number | bigint): string {
  switch (origin) {
    case "string":
      return `must have ${bound} ${size} ${Number(size) === 1 ? "character" : "characters"}`;
    case "array":
    case "set":
    case "map":
    case "record":
      return `must have ${bound} ${size} ${Number(size) === 1 ? "entry" : "entries"}`;
    default:
      return `must be ${bound} ${size}`;
  }
}

/**
 * Returns the issues that an issue consists of. If a union accepts none of its alternatives, these are the issues of the only alternative
 * whose type the value has, or else the issue of the union itself.
 */
export function issuesWithin(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code === "invalid_key") {
    const customIssue = issue.issues.find(({ code }) => code === "custom");
    return [customIssue ? { ...issue, message: `has a name that is not valid: it ${customIssue.message}` } : issue];
  }
  if (issue.code !== "invalid_union") return [issue];
  const [inner, ...furtherAlternatives] = issue.errors.filter((issues) => issues.length > 0 && issues.every(isInside));
  if (!inner || furtherAlternatives.length > 0) return [issue];
  return inner.flatMap((innerIssue) => issuesWithin({ ...innerIssue, path: [...issue.path, ...innerIssue.path] }));
}

/** Reports whether an issue concerns a member of the value, so that the value itself has the right type. */
function isInside({ code, path }: z.core.$ZodIssue): boolean {
  return path.length > 0 || code === "unrecognized_keys" || code === "custom";
}
