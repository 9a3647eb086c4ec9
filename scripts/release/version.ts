// The version of a release: which version may follow another, and the files of the checkout that contain it.

/** A file of the checkout with its text before and after. */
export interface Change {
  readonly path: string;
  readonly text: string;
}

const shape = /^(\d+)\.(\d+)\.(\d+)$/;

/** Throws unless `next` is a version that may follow `current`. The first release has the current version. */
export function requireNext(current: string, next: string, isFirst: boolean): void {
  if (!shape.test(next)) throw new Error(`${JSON.stringify(next)} is no version such as 1.2.3`);
  const order = compare(next, current);
  if (order < 0 || (order === 0 && !isFirst)) throw new Error(`${next} does not follow ${current}`);
}

function compare(left: string, right: string): number {
  const [first, second] = [left, right].map((text) => (shape.exec(text) ?? []).slice(1).map(Number));
  const at = first?.findIndex((segment, index) => segment !== second?.[index]) ?? -1;
  return at < 0 ? 0 : (first?.[at] ?? 0) - (second?.[at] ?? 0);
}

/** Moves the changelog's section `Unreleased` below a heading of the version. Throws if there is none. */
export function releasedChangelog(text: string, version: string, date: string): string {
  const heading = "## Unreleased\n";
  const from = text.indexOf(heading) + heading.length;
  const next = text.indexOf("\n## ", from);
  const to = next < 0 ? text.length : next;
  const changes = from < heading.length ? "" : text.slice(from, to).trim();
  if (!/^- /m.test(changes)) throw new Error("CHANGELOG.md has no changes under `## Unreleased`");
  if (text.includes(`## ${version} `)) throw new Error(`CHANGELOG.md has a section of ${version} already`);
  return `${text.slice(0, from)}\n## ${version} (${date})\n${changes}\n${text.slice(to)}`;
}

/** Returns the files with the new version. `read` returns a file's text; undefined if it does not exist. */
export function versioned(version: string, read: (path: string) => string | undefined): Change[] {
  return places.flatMap(({ path, pattern }) => {
    const text = read(path);
    if (text === undefined) return [];
    if (!pattern.test(text)) throw new Error(`${path} states no version`);
    return [{ path, text: text.replace(pattern, (_, before: string, after: string) => `${before}${version}${after}`) }];
  });
}

/** Returns what does not fit a tag of the version: files that state another one, and a changelog without its section. */
export function versionProblems(version: string, read: (path: string) => string | undefined): string[] {
  const stale = versioned(version, read).filter(({ path, text }) => text !== read(path));
  const hasSection = (read("CHANGELOG.md") ?? "").includes(`\n## ${version} (`);
  return [
    ...stale.map(({ path }) => `${path} states another version than ${version}`),
    ...(hasSection ? [] : [`CHANGELOG.md has no section of ${version}`]),
  ];
}

/** The places of a version: the first match in each file. Go's version is the tag. */
const places = [
  { path: "package.json", pattern: /^( {2}"version": ")[^"]+(")/m },
  // The first two are the project's own.
  { path: "package-lock.json", pattern: /^( {2}"version": ")[^"]+(")/m },
  { path: "sdk/python/pyproject.toml", pattern: /^(version = ")[^"]+(")/m },
  { path: "sdk/java/pom.xml", pattern: /^( {2}<version>)[^<]+(<)/m },
] as const;
