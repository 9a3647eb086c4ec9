// Images that a sandbox, a template or a lesson brings along: what is in them, and what they run.
import { z } from "zod";
import { byteLength } from "../../../base/byte-text.ts";
import { limits } from "../../../base/limits.ts";
import { npmPackages, pipPackages } from "./packages.ts";
import { imageResponses } from "./responses.ts";

/** Bytes of one file of an image. */
export const { imageFileBytes } = limits;

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const reference = new RegExp(
  `^(?:(?:localhost|[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+|[A-Za-z0-9.-]+(?=:))(?::\\d{1,5})?/)?${component}(?:/${component})*(?::\\w[\\w.-]{0,127})?$`,
);
const referenceForm = "must be the name of an image, such as registry.example.com/shop:v1";

const imageReference = z.string().max(limits.imageReferenceCharacters).regex(reference, referenceForm);

/** An absolute path without `.` and `..`, as the kernel bounds it. */
export const imagePath = z.string().superRefine((path, context) => {
  const message = pathProblem(path);
  if (message !== undefined) context.addIssue({ code: "custom", message });
});

function pathProblem(path: string): string | undefined {
  if (path.length > limits.imagePathCharacters) return `must have at most ${limits.imagePathCharacters} characters`;
  if (!/^\/[^\0\n]+$/.test(path)) return "must be an absolute path";
  const parts = path.slice(1).split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    return "must have no empty part, and no . or .. among its parts";
  if (parts.length > limits.imagePathParts) return `must have at most ${limits.imagePathParts} parts`;
  return /^\/(proc|sys|dev)(\/|$)/.test(path) ? "must not be in /proc, /sys or /dev" : undefined;
}

const owner = z
  .string()
  .max(limits.imageNameCharacters)
  .regex(/^[a-z0-9_][a-z0-9_-]*(:[a-z0-9_][a-z0-9_-]*)?$/, "must be a user, or user:group");

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** A file's text, or the same with what else a file has. Without a text it is a folder, or a link. */
export const imageFile = z.union(
  [
    z.string(),
    z
      .strictObject({
        text: z.string().optional(),
        /** Bytes that are no text, in base64. */
        base64: z.string().regex(base64, "must be base64").optional(),
        /** The target of a symbolic link. */
        link: z.string().min(1).max(limits.imagePathCharacters).optional(),
        /** In octal digits. Default: 0644, of a folder 0755. */
        mode: z
          .string()
          .regex(/^[0-7]{3,4}$/, "must be octal digits such as 0755")
          .optional(),
        /** Default: root. */
        owner: owner.optional(),
      })
      .refine(
        ({ text, base64: bytes, link }) => [text, bytes, link].filter((one) => one !== undefined).length <= 1,
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
  /** Default: the same as `uid`. */
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
    (given) => Object.keys(given).length <= limits.imageVariables,
    `must have at most ${limits.imageVariables} entries`,
  );

const files = z
  .record(imagePath, imageFile)
  .refine((given) => Object.keys(given).length <= limits.imageFiles, `must have at most ${limits.imageFiles} entries`);

export const imageDefinition = z
  .strictObject({
    name: imageReference,
    /** Further tags of the same image; without a tag in `name` they are all of its tags. */
    tags: z
      .array(z.string().regex(/^\w[\w.-]{0,127}$/, "must be a tag"))
      .max(limits.imageTags)
      .default([]),
    /** The image below it: one that the simulator knows, one that stands before this one, or `scratch`, which has nothing. */
    from: imageReference.default("scratch"),
    /** Libraries of Python and of Node.js. */
    pip: z.array(z.enum(pipPackages)).max(limits.imagePackages).default([]),
    npm: z.array(z.enum(npmPackages)).max(limits.imagePackages).default([]),
    /** Programs of the simulator that the image has beside those of `from`. */
    programs: z
      .array(
        z
          .string()
          .max(limits.imageNameCharacters)
          .regex(/^[A-Za-z0-9_[][A-Za-z0-9_.+-]*$/, "must be the name of a program"),
      )
      .max(limits.imagePackages)
      .default([]),
    /** By path. */
    files: files.default({}),
    env: variables.default({}),
    /** Users beside those of `from`. */
    users: z.array(imageUser).max(limits.imageUsers).default([]),
    /** The user that its programs run as. Default: the user of `from`. */
    user: owner.optional(),
    workingDir: z.union([z.literal("/"), imagePath]).optional(),
    ports: z.array(port).max(limits.imagePorts).default([]),
    /** As in a Dockerfile: `command` alone is handed to the entry point of `from`, and `entrypoint` replaces both. */
    entrypoint: command.optional(),
    command: command.optional(),
    /** Serves HTTP by this table at the TCP ports of `ports`, or at 8080. */
    responses: imageResponses.optional(),
  })
  .superRefine((given, context) => {
    for (const { path, message } of definitionProblems(given))
      context.addIssue({ code: "custom", path: [...path], message });
  });

export type ImageDefinition = z.output<typeof imageDefinition>;
export type GivenImageDefinition = z.input<typeof imageDefinition>;

interface ImageProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Users that images have without saying so. */
export const wellKnownUsers: Readonly<Record<string, number>> = {
  root: 0,
  daemon: 1,
  "www-data": 33,
  nginx: 101,
  node: 1000,
  nobody: 65_534,
};

/** Returns the number of a user or group, given by its number or its name; undefined if there is no such user. */
export function numberOfUser(
  name: string,
  { users }: Pick<ImageDefinition, "users">,
  isGroup = false,
): number | undefined {
  if (/^\d+$/.test(name)) return Number(name) <= 65_535 ? Number(name) : undefined;
  const own = users.find((one) => one.name === name);
  if (own) return isGroup ? (own.gid ?? own.uid) : own.uid;
  return Object.hasOwn(wellKnownUsers, name) ? wellKnownUsers[name] : undefined;
}

function* definitionProblems(given: ImageDefinition): Generator<ImageProblem> {
  for (const path of Object.keys(given.files)) {
    const above = foldersAbove(path).find((one) => Object.hasOwn(given.files, one) && !isFolder(given.files[one]));
    if (above !== undefined) yield { path: ["files", path], message: `is below ${above}, which is no folder` };
  }
  for (const [path, file] of Object.entries(given.files))
    if (byteLength(textOf(file)) > imageFileBytes)
      yield { path: ["files", path], message: `must have at most ${imageFileBytes} bytes` };
  if (given.responses && (given.command ?? given.entrypoint) !== undefined)
    yield { path: ["responses"], message: "cannot be given beside command or entrypoint: the image runs one program" };
}

function isFolder(file: ImageFile | undefined): boolean {
  return typeof file === "object" && file.text === undefined && file.base64 === undefined && file.link === undefined;
}

function textOf(file: ImageFile): string {
  return typeof file === "string" ? file : (file.text ?? file.base64 ?? file.link ?? "");
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(1, -1);
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`);
}

/** Returns the names of an image, each with a tag: `shop:v1`. */
export function namesOfImage({ name, tags }: Pick<ImageDefinition, "name" | "tags">): string[] {
  const at = name.indexOf(":", name.lastIndexOf("/") + 1);
  const [repository, own] = at < 0 ? [name, []] : [name.slice(0, at), [name.slice(at + 1)]];
  const all = [...new Set([...own, ...tags])];
  return (all.length > 0 ? all : ["latest"]).map((tag) => `${repository}:${tag}`);
}

function* userProblems(given: ImageDefinition, users: ImageDefinition["users"]): Generator<ImageProblem> {
  const owners = Object.entries(given.files).map(
    ([path, file]) => [["files", path, "owner"], typeof file === "string" ? undefined : file.owner] as const,
  );
  for (const [path, text] of [[["user"], given.user] as const, ...owners]) {
    const unknown = text?.split(":").find((name, at) => numberOfUser(name, { users }, at === 1) === undefined);
    if (unknown !== undefined)
      yield { path, message: `there is no user ${JSON.stringify(unknown)}: add it to users, or give its number` };
  }
}

/** Problems of a list of images that none of them has alone. */
export function* imageListProblems(list: readonly (string | ImageDefinition)[]): Generator<ImageProblem> {
  const definitions = list.filter((one) => typeof one !== "string");
  const all = new Set(definitions.flatMap(namesOfImage));
  const users = new Map<string, ImageDefinition["users"]>();
  let bytes = 0;
  for (const [at, one] of list.entries()) {
    if (typeof one === "string") continue;
    bytes += byteLength(JSON.stringify(one));
    const [below = ""] = namesOfImage({ name: one.from, tags: [] });
    if (all.has(below) && !users.has(below))
      yield { path: [at, "from"], message: `${below} must stand before the images that are built on it` };
    const known = [...(users.get(below) ?? []), ...one.users];
    for (const { path, message } of userProblems(one, known)) yield { path: [at, ...path], message };
    for (const name of namesOfImage(one)) {
      if (users.has(name)) yield { path: [at, "name"], message: `${name} is defined twice` };
      users.set(name, known);
    }
  }
  if (definitions.length > limits.imageDefinitions)
    yield { path: [], message: `must have at most ${limits.imageDefinitions} definitions` };
  if (bytes > limits.imageBytes)
    yield { path: [], message: `must have at most ${limits.imageBytes} bytes of definitions` };
}
