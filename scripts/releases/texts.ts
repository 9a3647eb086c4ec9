// Compares the documentation in the OpenAPI documents of a release with that of the newest one.
import descriptions from "../../shared/schema/facts/descriptions.json" with { type: "json" };

export interface Swagger {
  readonly definitions: Readonly<Record<string, SwaggerType>>;
}

interface SwaggerType {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>;
  readonly "x-kubernetes-group-version-kind"?: readonly { readonly group: string; readonly version: string }[];
}

/** Each text once, and by release, type and field the index of its text. */
export interface ReleaseTexts {
  readonly texts: string[];
  readonly releases: Record<string, Record<string, Record<string, number>>>;
}

// The generated JSON has this form.
const described = (descriptions as unknown as { types: Readonly<Record<string, Readonly<Record<string, number>>>> })
  .types;

/** Returns the texts of types and fields, if the newest ones are described, where they differ from the newest ones. */
export function textChanges(
  releases: Readonly<Record<string, Swagger>>,
  newest: Swagger,
  addedTypes: Readonly<Record<string, readonly string[]>>,
): ReleaseTexts {
  const texts = new Map<string, number>();
  const changes: ReleaseTexts["releases"] = {};
  for (const [version, swagger] of Object.entries(releases)) {
    const types: Record<string, Record<string, number>> = {};
    for (const type of [...Object.keys(described), ...(addedTypes[version] ?? [])]) {
      const [before, after = {}] = [swagger.definitions[type], newest.definitions[type]];
      if (!before) continue;
      const isNew = (field: string) => after.properties?.[field] === undefined;
      const added = Object.keys(before.properties ?? {}).filter(isNew);
      for (const field of new Set(["", ...Object.keys(described[type] ?? {}), ...added])) {
        const text = textOf(before, field);
        if (text === undefined || text === textOf(after, field)) continue;
        if (!texts.has(text)) texts.set(text, texts.size);
        (types[type] ??= {})[field] = texts.get(text) ?? 0;
      }
    }
    changes[version] = types;
  }
  return { texts: [...texts.keys()], releases: changes };
}

/** Returns a text without the values of an enum, which are appended when it is served. */
function textOf(type: SwaggerType, field: string): string | undefined {
  const text = field === "" ? type.description : type.properties?.[field]?.description;
  return text?.replace(/(?:\n\n)?Possible enum values:[^]*$/, "");
}
