// The state of an image while it is built.
import { type GivenImageDefinition, numberOfUser } from "../../shared/contract/cluster/image/image.ts";

export interface BuiltFile {
  /** Undefined for folders and links. */
  readonly bytes?: Uint8Array;
  readonly link?: string;
  readonly mode: number;
  /** `app` or `1000:1000`; undefined stands for root. */
  readonly owner?: string | undefined;
}

/** Folders that images have, beside those that a build creates. */
const usualFolders = new Set(
  "/ /bin /etc /home /lib /media /mnt /opt /root /run /sbin /srv /tmp /usr /usr/bin /usr/lib /usr/local /usr/local/bin /usr/sbin /usr/share /usr/share/nginx /usr/share/nginx/html /usr/local/apache2/htdocs /etc/nginx /etc/nginx/conf.d /var /var/lib /var/log /var/www /var/www/html".split(
    " ",
  ),
);

export class ImageState {
  from = "";
  readonly env = new Map<string, string>();
  readonly files = new Map<string, BuiltFile>();
  readonly users: { name: string; uid: number; gid?: number }[] = [];
  /** Groups that are not the primary group of a user. */
  readonly groups = new Map<string, number>();
  readonly ports: (number | string)[] = [];
  readonly pip = new Set<string>();
  readonly npm = new Set<string>();
  readonly programs = new Set<string>();
  workingDir: string | undefined;
  user: string | undefined;
  entrypoint: string[] | undefined;
  command: string[] | undefined;

  get workingDirOrRoot(): string {
    return this.workingDir ?? "/";
  }

  isFolder(path: string): boolean {
    const file = this.files.get(path);
    if (file) return file.bytes === undefined && file.link === undefined;
    return usualFolders.has(path) || path === this.workingDir || this.below(path).length > 0;
  }

  /** Returns the paths below a folder. */
  below(folder: string): string[] {
    const start = folder === "/" ? "/" : `${folder}/`;
    return [...this.files.keys()].filter((path) => path.startsWith(start));
  }

  makeFolder(path: string, more: Partial<BuiltFile> = {}): void {
    if (!this.isFolder(path) || Object.keys(more).length > 0)
      this.files.set(path, { mode: 0o755, ...this.files.get(path), ...more });
  }

  /** Writes a file, and replaces an existing one. */
  write(path: string, file: BuiltFile): void {
    this.files.set(path, file);
  }

  /**
   * Returns `user` or `user:group` as the definition of an image writes it: users as given, groups of the image by their number, because a
   * definition has no groups. Undefined if one does not exist.
   */
  ownerOf(text: string): string | undefined {
    const [user = "", group] = text.split(":");
    const userName = this.#ownerPart(user, false);
    if (userName === undefined || group === undefined || group === "") return userName;
    const groupName = this.#ownerPart(group, true);
    return groupName === undefined ? undefined : `${userName}:${groupName}`;
  }

  /** Returns a user or a group for `ownerOf`. */
  #ownerPart(name: string, isGroup: boolean): string | undefined {
    const number = isGroup ? this.groups.get(name) : undefined;
    if (number !== undefined) return String(number);
    return numberOfUser(name, { users: this.users }, isGroup) === undefined ? undefined : name;
  }
}

export interface Named {
  readonly name: string;
  readonly tags: readonly string[];
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the definition for the control API, without empty fields. */
export function definitionOf(layers: ImageState, { name, tags }: Named): GivenImageDefinition {
  const { from, env, users, user, workingDir, ports, entrypoint, command } = layers;
  const files = [...layers.files].map(([path, file]) => [path, fileOf(file)] as const);
  return {
    name,
    ...(tags.length > 0 ? { tags: [...tags] } : {}),
    ...(from === "scratch" ? {} : { from }),
    ...(layers.pip.size > 0 ? { pip: [...layers.pip] as NonNullable<GivenImageDefinition["pip"]> } : {}),
    ...(layers.npm.size > 0 ? { npm: [...layers.npm] as NonNullable<GivenImageDefinition["npm"]> } : {}),
    ...(layers.programs.size > 0 ? { programs: [...layers.programs] } : {}),
    ...(users.length > 0 ? { users } : {}),
    ...(user === undefined ? {} : { user }),
    ...(workingDir === undefined ? {} : { workingDir }),
    ...(env.size > 0 ? { env: Object.fromEntries(env) } : {}),
    ...(ports.length > 0 ? { ports } : {}),
    ...(entrypoint === undefined ? {} : { entrypoint }),
    ...(command === undefined ? {} : { command }),
    ...(files.length > 0 ? { files: Object.fromEntries(files) } : {}),
  };
}

function fileOf({ bytes, link, mode, owner }: BuiltFile): NonNullable<GivenImageDefinition["files"]>[string] {
  const usual = bytes === undefined ? 0o755 : 0o644;
  const more = {
    ...(mode === usual || link !== undefined ? {} : { mode: mode.toString(8).padStart(4, "0") }),
    ...(owner === undefined ? {} : { owner }),
  };
  if (link !== undefined) return { link, ...more };
  if (bytes === undefined) return more;
  const text = textOf(bytes);
  if (text === undefined) return { base64: base64Of(bytes), ...more };
  return Object.keys(more).length === 0 ? text : { text, ...more };
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = decoder.decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
