// Errors of YAML, in the words of upstream's parser if the library distinguishes the same errors.
import type { YAMLException } from "js-yaml";

/** An error whose message is what upstream prints after "error converting YAML to JSON: ". */
export class YamlError extends Error {
  /** The line of the text, from one; undefined if it is not known. */
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.line = line;
  }

  /** The message without the line, which upstream counts from the start of the document. */
  get reason(): string {
    return this.message.replace(/^yaml: line \d+: /, "yaml: ");
  }
}

interface Wording {
  readonly text: string;
  /** The origin of the error: upstream's scanner counts lines from one, its parser from zero. Neither prints the first line. */
  readonly by: "scanner" | "parser";
}

export function upstreamError({ reason, mark }: YAMLException): YamlError {
  const { position = 0, line = 0, buffer = "" } = mark ?? {};
  if (reason.startsWith("nesting exceeded")) return new YamlError(`yaml: ${reason.replace(/^nesting /, "")}`, line + 1);
  const { text, by } = wordingOf(reason, buffer, position);
  if (line === 0) return new YamlError(`yaml: ${text}`, 1);
  return new YamlError(`yaml: line ${by === "scanner" ? line + 1 : line}: ${text}`, line + 1);
}

function wordingOf(reason: string, text: string, position: number): Wording {
  if (reason === "tab characters must not be used in indentation") return cannotStart;
  if (/^unexpected end of the stream within a (single|double) quoted scalar$/.test(reason)) {
    return { text: "found unexpected end of stream", by: "scanner" };
  }
  if (reason === "unknown escape sequence") return { text: "found unknown escape character", by: "scanner" };
  if (reason === "the stream contains non-printable characters")
    return { text: "control characters are not allowed", by: "scanner" };
  if (/flow collection|^deficient indentation$/.test(reason)) {
    const bracket = openBracket(text, position);
    if (bracket) return { text: `did not find expected ',' or '${bracket}'`, by: "parser" };
  }
  if (isMisplaced(reason)) return misplaced(text, position) ?? { text: "did not find expected key", by: "parser" };
  return { text: reason, by: "scanner" };
}

const cannotStart: Wording = { text: "found character that cannot start any token", by: "scanner" };

function isMisplaced(reason: string): boolean {
  return reason === "bad indentation of a mapping entry" || /^end of the stream or a document separator/.test(reason);
}

/** Returns the error of an indicator in the wrong place. */
function misplaced(text: string, position: number): Wording | undefined {
  const here = text.charAt(position);
  if (here !== "" && "@`%".includes(here)) return cannotStart;
  if (here === ":") return { text: "mapping values are not allowed in this context", by: "scanner" };
  if (here === "-" && /\s/.test(text.charAt(position + 1))) {
    return { text: "block sequence entries are not allowed in this context", by: "scanner" };
  }
  return here === "]" || here === "}" ? { text: "did not find expected node content", by: "parser" } : undefined;
}

/** Returns the closing bracket of the innermost open list or map before a position. Quoted texts are not recognized. */
function openBracket(text: string, position: number): string | undefined {
  let closed = 0;
  for (let at = position - 1; at >= 0; at--) {
    const letter = text.charAt(at);
    if (letter === "]" || letter === "}") closed++;
    else if (letter === "[" || letter === "{") {
      if (closed === 0) return letter === "[" ? "]" : "}";
      closed--;
    }
  }
  return undefined;
}
