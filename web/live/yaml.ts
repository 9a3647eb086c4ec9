// Formats objects as YAML like kubectl, without managed fields.

/** Formats any JSON value as a YAML document. */
export function toYaml(value: unknown): string {
  return `${block(value, "")}\n`.replace(/^\n/, "");
}

/** Removes the fields that only programs read. */
export function readable(object: object): object {
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
  const isBlock = /^[^\s][^\r\t\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]*\n$/.test(value) && !/\n\n$/.test(value);
  return isBlock ? `|\n${value.slice(0, -1).replace(/^(?=.)/gm, indent || "  ")}` : plain(value);
}

/** Returns a string unquoted if no reader could parse it as another type. */
function plain(value: string): string {
  const isWord = /^[A-Za-z_/][\w./@-]*(:[\w./@-]+)*$/.test(value) || /^[A-Za-z][\w ./()@-]*[\w./()@-]$/.test(value);
  const isUid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value);
  const isOther = /^(null|true|false|yes|no|on|off|y|n)$/i.test(value);
  return isUid || (isWord && !isOther) ? value : JSON.stringify(value);
}
