// Images that a sandbox, a template or a lesson defines: their files, and the programs that they run.
import * as z from "zod";
import { byteLength } from "../../../base/byte-text.ts";
import { limits } from "../../../base/limits.ts";
import { npmPackages, pipPackages } from "./packages.ts";
import { imageResponses } from "./responses.ts";

/** The limit of bytes of one file of an image. */
export const { imageFileBytes } = limits;

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const reference = new RegExp(
  `^(?:(?:localhost|[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+|[A-Za-z0-9.-]+(?=:))(?::\\d{1,5})?/)?${component}(?:/${component})*(?::\\w[\\w.-]{0,127})?$`,
);
const referenceForm = "must be the name of an image, such as registry.example.com/shop:v1";

const imageReference = z.string().max(limits.imageReferenceCharacters).regex(reference, referenceForm);

/** An absolute path without `.` and `..`, with the limits of the kernel. */
export const imagePath = z.string().superRefine((path, context) => {
  const message = pathProblem(path);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

function pathProblem(path: string): string | undefined {
  if (path.length > limits.imagePathCharacters) return `must have at most ${limits.imagePathCharacters} characters`;
  if (!/^\/[^\0\n]+$/.test(path)) return "must be an absolute path";
  const segments = path.slice(1).split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    return "must have no empty part, and no . or .. among its parts";
  if (segments.length > limits.imagePathParts) return `must have at most ${limits.imagePathParts} parts`;
  return /^\/(proc|sys|dev)(\/|$)/.test(path) ? "must not be in /proc, /sys or /dev" : undefined;
}

const owner = z
  .string()
  .max(limits.imageNameCharacters)
  .regex(/^[a-z0-9_][a-z0-9_-]*(:[a-z0-9_][a-z0-9_-]*)?$/, "must be a user, or user:group");

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A file: its text, or an object with further properties. Without content it is a folder or a link. */
export const imageFile = z.union(
  [
    z.string(),
    z
      .strictObject({
        text: z.string().optional(),
        /** The bytes of a binary file, in base64. */
        base64: z.string().regex(base64, "must be base64").optional(),
        /** The target of a symbolic link. */
        link: z.string().min(1).max(limits.imagePathCharacters).optional(),
        /** The mode in octal digits. Default: 0644, for a folder 0755. */
        mode: z
          .string()
          .regex(/^[0-7]{3,4}$/, "must be octal digits such as 0755")
          .optional(),
        /** The owner. Default: root. */
        owner: owner.optional(),
      })
      .refine(
        ({ text, base64: bytes, link }) => [text, bytes, link].filter((content) => content !== undefined).length <= 1,
        "must have only one of text, base64 and link",
      ),
  ],
  { error: "must be a text, or an object with text, base64 or link" },
);

export type ImageFile = z.output<typeof imageFile>;

export const imageUser = z.strictObject({
  name: z
    .string()
    .max(limits.imageNameCharacters)
    .regex(/^[a-z_][a-z0-9_-]*$/, "must be the name of a user"),
  uid: z.int().min(0).max(65_535),
  /** The number of the user's group. Default: that of `uid`. */
  gid: z.int().min(0).max(65_535).optional(),
});

const portForm = "must be a port such as 8080 or 53/udp";
const port = z.union([z.int().min(1).max(65_535), z.string().regex(/^\d{1,5}\/(tcp|udp|sctp)$/, portForm)], {
  error: portForm,
});

const word = z.string().max(limits.imageValueCharacters);
const command = z.array(word).max(limits.imageWords);

const variables = z
  .record(
    z
      .string()
      .max(limits.imageNameCharacters)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of a variable"),
    z.string().max(limits.imageValueCharacters),
  )
  .refine(
    (variables) => Object.keys(variables).length <= limits.imageVariables,
    `must have at most ${limits.imageVariables} entries`,
  );

const files = z
  .record(imagePath, imageFile)
  .refine(
    (fileMap) => Object.keys(fileMap).length <= limits.imageFiles,
    `must have at most ${limits.imageFiles} entries`,
  );

export const imageDefinition = z
  .strictObject({
    name: imageReference,
    /** Further tags of the same image. Without a tag in `name`, these are all of its tags. */
    tags: z
      .array(z.string().regex(/^\w[\w.-]{0,127}$/, "must be a tag"))
      .max(limits.imageTags)
      .default([]),
    /** The base image: one that the simulator has, one that is defined before this one, or the empty image `scratch`. */
    from: imageReference.default("scratch"),
    /** Libraries of Python and of Node.js. */
    pip: z.array(z.enum(pipPackages)).max(limits.imagePackages).default([]),
    npm: z.array(z.enum(npmPackages)).max(limits.imagePackages).default([]),
    /** Programs of the simulator, in addition to those of `from`. */
    programs: z
      .array(
        z
          .string()
          .max(limits.imageNameCharacters)
          .regex(/^[A-Za-z0-9_[][A-Za-z0-9_.+-]*$/, "must be the name of a program"),
      )
      .max(limits.imagePackages)
      .default([]),
    /** The files by path. */
    files: files.default({}),
    env: variables.default({}),
    /** Users, in addition to those of `from`. */
    users: z.array(imageUser).max(limits.imageUsers).default([]),
    /** The user that runs the image's programs. Default: the user of `from`. */
    user: owner.optional(),
    workingDir: z.union([z.literal("/"), imagePath]).optional(),
    ports: z.array(port).max(limits.imagePorts).default([]),
    /** As in a Dockerfile: `command` alone is passed to the entry point of `from`; `entrypoint` replaces both. */
    entrypoint: command.optional(),
    command: command.optional(),
    /** Serves HTTP by this table on the TCP ports of `ports`, or on 8080. */
    responses: imageResponses.optional(),
  })
  .superRefine((definition, context) => {
    for (const { path, message } of definitionProblems(definition))
      context.addIssue({ code: "custom", path: [...path], message });
  });

export type ImageDefinition = z.output<typeof imageDefinition>;
export type GivenImageDefinition = z.input<typeof imageDefinition>;

interface ImageProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Users that every image has. */
export const wellKnownUsers: Readonly<Record<string, number>> = {
  root: 0,
  daemon: 1,
  "www-data": 33,
  nginx: 101,
  node: 1000,
  nobody: 65_534,
};

/** Returns the number of a user or group, by its number or its name; undefined if it does not exist. */
export function numberOfUser(
  name: string,
  { users }: Pick<ImageDefinition, "users">,
  isGroup = false,
): number | undefined {
  if (/^\d+$/.test(name)) return Number(name) <= 65_535 ? Number(name) : undefined;
  const user = users.find((candidate) => candidate.name === name);
  if (user) return isGroup ? (user.gid ?? user.uid) : user.uid;
  return Object.hasOwn(wellKnownUsers, name) ? wellKnownUsers[name] : undefined;
}

function* definitionProblems(definition: ImageDefinition): Generator<ImageProblem> {
  for (const path of Object.keys(definition.files)) {
    const above = foldersAbove(path).find(
      (folder) => Object.hasOwn(definition.files, folder) && !isFolder(definition.files[folder]),
    );
    if (above !== undefined) yield { path: ["files", path], message: `is below ${above}, which is no folder` };
  }
  for (const [path, file] of Object.entries(definition.files))
    if (byteLength(textOf(file)) > imageFileBytes)
      yield { path: ["files", path], message: `must have at most ${imageFileBytes} bytes` };
  if (definition.responses && (definition.command ?? definition.entrypoint) !== undefined)
    yield { path: ["responses"], message: "cannot be given beside command or entrypoint: the image runs one program" };
}

function isFolder(file: ImageFile | undefined): boolean {
  return typeof file === "object" && file.text === undefined && file.base64 === undefined && file.link === undefined;
}

function textOf(file: ImageFile): string {
  return typeof file === "string" ? file : (file.text ?? file.base64 ?? file.link ?? "");
}

function foldersAbove(path: string): string[] {
  const segments = path.split("/").slice(1, -1);
  return segments.map((_, at) => `/${segments.slice(0, at + 1).join("/")}`);
}

/** Returns the names of an image, each with a tag: `shop:v1`. */
export function namesOfImage({ name, tags }: Pick<ImageDefinition, "name" | "tags">): string[] {
  const at = name.indexOf(":", name.lastIndexOf("/") + 1);
  const [repository, namedTags] = at < 0 ? [name, []] : [name.slice(0, at), [name.slice(at + 1)]];
  const all = [...new Set([...namedTags, ...tags])];
  return (all.length > 0 ? all : ["latest"]).map((tag) => `${repository}:${tag}`);
}

function* userProblems(definition: ImageDefinition, users: ImageDefinition["users"]): Generator<ImageProblem> {
  const owners = Object.entries(definition.files).map(
    ([path, file]) => [["files", path, "owner"], typeof file === "string" ? undefined : file.owner] as const,
  );
  for (const [path, text] of [[["user"], definition.user] as const, ...owners]) {
    const unknown = text?.split(":").find((name, at) => numberOfUser(name, { users }, at === 1) === undefined);
    if (unknown !== undefined)
      yield { path, message: `there is no user ${JSON.stringify(unknown)}: add it to users, or give its number` };
  }
}

/** Yields problems of a list of images that do not concern one image alone. */
export function* imageListProblems(list: readonly (string | ImageDefinition)[]): Generator<ImageProblem> {
  const definitions = list.filter((entry) => typeof entry !== "string");
  const all = new Set(definitions.flatMap(namesOfImage));
  const users = new Map<string, ImageDefinition["users"]>();
  let bytes = 0;
  for (const [at, entry] of list.entries()) {
    if (typeof entry === "string") continue;
    bytes += byteLength(JSON.stringify(entry));
    const [below = ""] = namesOfImage({ name: entry.from, tags: [] });
    if (all.has(below) && !users.has(below))
      yield { path: [at, "from"], message: `${below} must stand before the images that are built on it` };
    const allUsers = [...(users.get(below) ?? []), ...entry.users];
    for (const { path, message } of userProblems(entry, allUsers)) yield { path: [at, ...path], message };
    for (const name of namesOfImage(entry)) {
      if (users.has(name)) yield { path: [at, "name"], message: `${name} is defined twice` };
      users.set(name, allUsers);
    }
  }
  if (definitions.length > limits.imageDefinitions)
    yield { path: [], message: `must have at most ${limits.imageDefinitions} definitions` };
  if (bytes > limits.imageBytes)
    yield { path: [], message: `must have at most ${limits.imageBytes} bytes of definitions` };
}
