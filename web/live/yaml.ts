// Formats objects as YAML like kubectl, without managed fields.

/** Formats any JSON value as a YAML document. A scalar begins with a blank, which YAML ignores. */
export function toYaml(value: unknown): string {
  return `${block(value, "")}\n`.replace(/^\n/, "");
}

/** Returns the object with `apiVersion`, `kind` and `metadata` first, without managed fields, which only programs read. */
export function withoutManagedFields(object: object): object {
  const { metadata, ...rest } = object as { metadata?: object };
  if (!metadata) return object;
  const { managedFields: _, ...visibleMetadata } = metadata as { managedFields?: unknown };
  const { apiVersion, kind, ...fields } = rest as { apiVersion?: string; kind?: string };
  return { apiVersion, kind, metadata: visibleMetadata, ...fields };
}

/** Returns the text after `key:`: on the same line after a space, or on lines of its own. */
function block(value: unknown, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return " []";
    return value.map((item) => `\n${indent}-${item === null ? " null" : inList(item, indent)}`).join("");
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    if (entries.length === 0) return " {}";
    return entries
      .map(
        ([key, member]) => `\n${indent}${plain(key)}:${block(member, Array.isArray(member) ? indent : `${indent}  `)}`,
      )
      .join("");
  }
  return ` ${typeof value === "string" ? text(value, indent) : String(value)}`;
}

/** Formats a list item. The first field of an object stands beside the dash. */
function inList(item: unknown, indent: string): string {
  const inner = `${indent}  `;
  const written = block(item, inner);
  return written.startsWith("\n") ? ` ${written.slice(1 + inner.length)}` : written;
}

function text(value: string, indent: string): string {
  const isBlock = literalBlock.test(value) && !value.endsWith("\n\n");
  // A block is indented by at least two spaces, also at the root.
  return isBlock ? `|\n${value.slice(0, -1).replace(/^(?=.)/gm, indent || "  ")}` : plain(value);
}

/** Matches texts that a block `|` keeps unchanged: printable lines, the last with its end, the first without an indent. */
const literalBlock = /^[^\s][^\r\t\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]*\n$/;
/** Matches names, paths and images: a colon is allowed only within a word, because before a blank it would begin a value. */
const plainName = /^[A-Za-z_/][\w./@-]*(:[\w./@-]+)*$/;
/** Matches short sentences without colons and quotes. */
const plainSentence = /^[A-Za-z][\w ./()@-]*[\w./()@-]$/;
const uid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
/** Matches words that YAML readers parse as null or as booleans. */
const typedWord = /^(null|true|false|yes|no|on|off|y|n)$/i;

/** Returns a string unquoted if no reader could parse it as another type. */
function plain(value: string): string {
  const isText = (plainName.test(value) || plainSentence.test(value)) && !typedWord.test(value);
  return uid.test(value) || isText ? value : JSON.stringify(value);
}
