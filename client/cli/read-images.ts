// Reads the image definitions that `--images` names.
import type { CreateSandbox } from "../index.ts";
import type { Run } from "./command-run.ts";

export async function readImages(run: Run): Promise<Pick<CreateSandbox, "images">> {
  const texts = run.texts("images");
  if (texts.length === 0) return {};
  // The YAML parser is loaded only by commands that need it.
  const { imagesOf } = await import("./image.ts");
  return imagesOf(texts);
}
