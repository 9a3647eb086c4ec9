// The documentation texts of the API, which only OpenAPI needs. They are loaded on first use.
import type { Describe } from "./schema.ts";

interface Descriptions {
  readonly texts: readonly string[];
  readonly types: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Loads the texts. The result looks them up by type and field. */
export async function loadDescriptions(): Promise<Describe> {
  const module = await import("../facts/descriptions.json", { with: { type: "json" } });
  // The generated JSON has this form; its inferred type has a property per field of the API.
  const { texts, types } = module.default as unknown as Descriptions;
  return (type, field) => {
    const index = types[type]?.[field];
    return index === undefined ? undefined : texts[index];
  };
}
