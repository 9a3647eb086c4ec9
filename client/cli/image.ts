// `sandbar image build`: builds the definition of an image from a Dockerfile and its folder. Also reads the images that `--images` names.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import type { CreateSandbox } from "../index.ts";
import { buildImage } from "../image/build.ts";
import { type BuildContext, type ContextFile, ignoredBy } from "../image/context.ts";
import type { Run } from "./command-run.ts";
import { textOf, UsageError } from "./values.ts";

/** The exit code if the Dockerfile cannot be built. */
const refused = 1;
/** The limit of files of a folder, above which it is most likely the wrong folder. */
const mostFiles = 5_000;

export function imageCommand(run: Run): number | undefined {
  const [word = "", folder = "", ...more] = run.words;
  if (word !== "build") throw new UsageError(`say build, not ${JSON.stringify(word)}`);
  if (folder === "" || more.length > 0) throw new UsageError("name the folder that the Dockerfile copies from");
  const [name, ...furtherTags] = run.texts("tag");
  if (name === undefined) throw new UsageError("give the image a name: --tag shop:v1");
  const file = run.text("file") ?? join(folder, "Dockerfile");
  const { image, problems, notes } = buildImage(textOf(file), contextOf(folder), {
    name,
    tags: furtherTags.map((tag) => tagOf(tag, name)),
    buildArgs: argumentsOf(run.texts("build-arg")),
  });
  for (const { line, message } of notes) run.say(`${file}:${line}: ${message}`);
  for (const { line, message } of problems) run.say(`${file}:${line}: ${message}`);
  if (!image) return refused;
  const text = stringify(image, { lineWidth: 0 });
  const path = run.text("output");
  if (path === undefined) run.print(text);
  else writeFileSync(path, text);
  return undefined;
}

/** Requires that all names have the same repository and differ only in their tags. */
function tagOf(text: string, name: string): string {
  const repository = (image: string) => image.replace(/:[^/:]*$/, "");
  if (repository(text) !== repository(name) || repository(text) === text)
    throw new UsageError(`--tag ${text} must have the name of ${name} with another tag`);
  return text.slice(text.lastIndexOf(":") + 1);
}

function argumentsOf(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const at = text.indexOf("=");
      if (at <= 0) throw new UsageError(`--build-arg must be NAME=value, not ${JSON.stringify(text)}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function contextOf(folder: string): BuildContext {
  const root = resolve(folder);
  if (!existsSync(root) || !statSync(root).isDirectory()) throw new UsageError(`${folder} is no folder`);
  const ignore = join(root, ".dockerignore");
  const isIgnored = ignoredBy(existsSync(ignore) ? readFileSync(ignore, "utf8") : "");
  const files = new Map<string, ContextFile>();
  const left = [root];
  for (let at; (at = left.pop()) !== undefined; ) {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      const name = relative(root, path).split(sep).join("/");
      if (name === ".git" || isIgnored(name)) continue;
      if (entry.isDirectory()) left.push(path);
      else if (entry.isFile())
        files.set(name, { isExecutable: (statSync(path).mode & 0o111) !== 0, read: () => readFileSync(path) });
      if (files.size > mostFiles)
        throw new UsageError(`${folder} has more than ${mostFiles} files: name them in .dockerignore`);
    }
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Parses `strict`, `any`, or files of images: each document is one image, or a list of them. */
export function imagesOf(values: readonly string[]): Pick<CreateSandbox, "images"> {
  const [first] = values;
  if (first === undefined) return {};
  if ((first === "strict" || first === "any") && values.length === 1) return { images: first };
  return { images: values.flatMap(imagesIn) as Exclude<CreateSandbox["images"], string | undefined> };
}

/** Reads definitions without validation, because the service reports their problems. */
function imagesIn(path: string): unknown[] {
  const documents = parseAllDocuments(textOf(path));
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error) throw new UsageError(`${path}: ${error.message}`);
    return (document.toJS({ maxAliasCount: 100 }) as unknown) ?? [];
  });
}
