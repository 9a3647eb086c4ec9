// Images that the sandbox defines: the additions of a definition to its base image.
import { bytesOfBase64 } from "../../../shared/base/base64.ts";
import { byteLength, textOfBytes } from "../../../shared/base/byte-text.ts";
import { stableHex } from "../../../shared/base/stable.ts";
import {
  type ImageDefinition,
  type ImageFile,
  namesOfImage,
  numberOfUser,
} from "../../../shared/contract/cluster/image/image.ts";
import {
  type ResponsesFile,
  responsesPath,
  responsesProgram,
} from "../../../shared/contract/cluster/image/responses.ts";
import type { Images } from "../../../shared/contract/sandbox.ts";
import type { Entry } from "../shell/files.ts";
import { packageFiles } from "../wasm/python-library/library.ts";
import { type ImageReference, parseImage } from "./reference.ts";

export interface OwnImage {
  /** The image of the catalogue whose software this one has; undefined if it has none. */
  readonly below: ImageReference | undefined;
  /** The same reference as its author wrote it. */
  readonly belowText: string;
  readonly digest: string;
  /** The bytes that the definitions add. */
  readonly ownBytes: number;
  readonly files: ReadonlyMap<string, Entry>;
  readonly users: ImageDefinition["users"];
  readonly environment: Readonly<Record<string, string>>;
  /** Undefined if the user is that of the base image. */
  readonly user: { readonly text: string; readonly uid: number; readonly gid: number } | undefined;
  readonly workingDir: string | undefined;
  readonly exposedPorts: readonly string[];
  readonly entrypoint: readonly string[] | undefined;
  readonly command: readonly string[] | undefined;
  /** Programs in the program folders, in addition to those of the base image. */
  readonly programs: readonly string[];
}

/** The images that a sandbox defines. */
export interface OwnImages {
  /** Returns undefined if the sandbox defines no such image. */
  find(reference: ImageReference): OwnImage | undefined;
  /** Reports whether the sandbox defines images of a repository. */
  hasRepository(name: string): boolean;
}

/** Returns undefined if the setting defines no image. */
export function ownImagesOf(images: Images | undefined): OwnImages | undefined {
  const definitions = typeof images === "object" ? images.filter((definition) => typeof definition === "object") : [];
  if (definitions.length === 0) return undefined;
  const byText = new Map<string, OwnImage>();
  const byDigest = new Map<string, OwnImage>();
  const repositories = new Set<string>();
  const find = ({ name, tag, digest }: ImageReference) =>
    digest === undefined ? byText.get(`${name}:${tag ?? ""}`) : byDigest.get(`${name}@${digest}`);
  for (const definition of definitions) {
    const below = referenceOf(definition.from);
    const image = imageOf(definition, below, below && find(below));
    for (const text of namesOfImage(definition)) {
      const reference = referenceOf(text);
      if (!reference) continue;
      repositories.add(reference.name);
      byText.set(reference.text, image);
      byDigest.set(`${reference.name}@${image.digest}`, image);
    }
  }
  return { find, hasRepository: (name) => repositories.has(name) };
}

/** Returns undefined for an invalid reference, and for `scratch`, which stands for an empty image. */
function referenceOf(text: string): ImageReference | undefined {
  if (text === "scratch") return undefined;
  const reference = parseImage(text);
  return "error" in reference ? undefined : reference;
}

function imageOf(
  definition: ImageDefinition,
  below: ImageReference | undefined,
  parent: OwnImage | undefined,
): OwnImage {
  const users = [...(parent?.users ?? []), ...definition.users];
  const added = filesOf(definition, parent?.workingDir, users);
  const files = new Map(parent?.files);
  for (const [path, entry] of added) files.set(path, entry);
  const { responses } = definition;
  const run = responses ? { entrypoint: [responsesProgram], command: [] } : runOf(definition, parent);
  // The same contents have the same digest under all of their names.
  const { name: _, tags: __, ...contents } = definition;
  return {
    below: parent ? parent.below : below,
    belowText: parent?.belowText ?? definition.from,
    digest: `sha256:${stableHex(JSON.stringify([parent?.digest, contents]), 64)}`,
    ownBytes: [...added].reduce((sum, [, { text = "" }]) => sum + byteLength(text), parent?.ownBytes ?? 0),
    files,
    users,
    environment: { ...parent?.environment, ...definition.env },
    user: definition.user === undefined ? parent?.user : { text: definition.user, ...ownerOf(definition.user, users) },
    workingDir: definition.workingDir ?? parent?.workingDir,
    exposedPorts: [...new Set([...(parent?.exposedPorts ?? []), ...exposedPorts(definition)])],
    ...run,
    programs: [...(parent?.programs ?? []), ...(responses ? [responsesProgram] : [])],
  };
}

/** Returns the commands of an image. As in Docker, an entry point removes the command of the base image. */
function runOf({ entrypoint, command }: ImageDefinition, parent: OwnImage | undefined) {
  if (entrypoint !== undefined) return { entrypoint, command: command ?? [] };
  return { entrypoint: parent?.entrypoint, command: command ?? parent?.command };
}

const defaultPort = 8080;

function exposedPorts({ ports, responses }: ImageDefinition): string[] {
  if (ports.length === 0 && responses) return [`${defaultPort}/tcp`];
  return ports.map((port) => (typeof port === "number" ? `${port}/tcp` : port));
}

function filesOf(
  definition: ImageDefinition,
  folderBelow: string | undefined,
  users: ImageDefinition["users"],
): ReadonlyMap<string, Entry> {
  const files = new Map<string, Entry>();
  const add = (path: string, text: string | undefined, mode = text === undefined ? 0o755 : 0o644) =>
    files.set(path, { text, mode, changedMs: 0 });
  for (const [path, text, mode] of definition.pip.flatMap(packageFiles)) add(path, text, mode);
  const folder = definition.workingDir ?? folderBelow ?? "/";
  for (const name of definition.npm) add(`${folder === "/" ? "" : folder}/node_modules/${name}/package.json`, "{}\n");
  for (const name of definition.programs) add(`/usr/bin/${name}`, "", 0o755);
  if (definition.responses) add(responsesPath, tableOf(definition, definition.responses));
  for (const [path, file] of Object.entries(definition.files)) files.set(path, entryOf(file, users));
  return files;
}

function tableOf(definition: ImageDefinition, responses: ResponsesFile["responses"]): string {
  const ports = exposedPorts(definition).flatMap((port) => (port.endsWith("/tcp") ? [Number.parseInt(port, 10)] : []));
  const table: ResponsesFile = { ports: ports.length > 0 ? ports : [defaultPort], responses };
  return `${JSON.stringify(table, null, 2)}\n`;
}

function entryOf(file: ImageFile, users: ImageDefinition["users"]): Entry {
  if (typeof file === "string") return { text: file, mode: 0o644, changedMs: 0 };
  const { base64, link, mode, owner } = file;
  const text = base64 === undefined ? file.text : textOfBytes(bytesOfBase64(base64));
  const defaultMode = link !== undefined ? 0o777 : text === undefined ? 0o755 : 0o644;
  return {
    text,
    mode: mode === undefined ? defaultMode : Number.parseInt(mode, 8),
    changedMs: 0,
    ...(link === undefined ? {} : { link }),
    ...(owner === undefined ? {} : ownerOf(owner, users)),
  };
}

/** Returns the numbers of an owner. The contract has checked that the user exists; an unknown user counts as root. */
function ownerOf(text: string, users: ImageDefinition["users"]): { readonly uid: number; readonly gid: number } {
  const [user = "", group = user] = text.split(":");
  const uid = numberOfUser(user, { users }) ?? 0;
  // As in Docker, a numeric user without a group is in root's group.
  const gid = text.includes(":") || !/^\d+$/.test(user) ? (numberOfUser(group, { users }, true) ?? 0) : 0;
  return { uid, gid };
}

/** A source of the images that the sandbox defines, such as a view of the cluster. */
export interface ImageSource {
  readonly ownImages?: OwnImages | undefined;
}
