// What `--images` says of the images of a sandbox or a template.
import type { CreateSandbox } from "../index.ts";
import type { Run } from "./command-run.ts";

export async function imagesGiven(run: Run): Promise<Pick<CreateSandbox, "images">> {
  const texts = run.texts("images");
  if (texts.length === 0) return {};
  // It reads YAML: only who asks for it loads that.
  const { imagesOf } = await import("./image.ts");
  return imagesOf(texts);
}
