// The lessons that the service brings along, as folders.
import { lessonFile } from "../../../shared/lesson/read-folder.ts";

const texts = import.meta.glob<string>("../../../lessons/**/*.{yaml,md}", {
  query: "?raw",
  import: "default",
  eager: true,
});

export interface ShippedLesson {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly files: ReadonlyMap<string, string>;
}

export function shippedLessons(): readonly ShippedLesson[] {
  const folders = new Map<string, Map<string, string>>();
  for (const [path, text] of Object.entries(texts)) {
    const [, name = "", file = ""] = /lessons\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const files = folders.get(name) ?? new Map<string, string>();
    folders.set(name, files.set(file, text));
  }
  return [...folders].map(([name, files]) => {
    const yaml = files.get(lessonFile) ?? "";
    const field = (key: string) =>
      new RegExp(`^${key}: *(.*)$`, "m").exec(yaml)?.[1]?.replaceAll(/^["']|["']$/g, "") ?? "";
    return { name, title: field("title") || name, description: field("description"), files };
  });
}
