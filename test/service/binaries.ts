// Finds the programs on this machine that tests drive.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

const oldestMinor = 27;

export interface Kubectl {
  /** The version in the program's own format: `v1.33.1`. */
  readonly version: string;
  readonly minor: number;
  readonly path: string;
}

/** PATH's kubectl and, beside the file that it links to, `kubectl.1.29` and later; without those that are too old. */
export function findKubectls(): Kubectl[] {
  const onPath = findOnPath("kubectl");
  if (!onPath) return [];
  const folder = dirname(realpathSync(onPath));
  const beside = readdirSync(folder).filter((name) => /^kubectl\.1\.\d+$/.test(name));
  const kubectls = [onPath, ...beside.sort().map((name) => join(folder, name))].flatMap(describeKubectl);
  const seenVersions = new Set<string>();
  return kubectls.filter(({ version, minor }) => {
    const fresh = minor >= oldestMinor && !seenVersions.has(version);
    seenVersions.add(version);
    return fresh;
  });
}

/** `CHROMIUM`, or the one on PATH. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM;
  if (named) return existsSync(named) ? named : undefined;
  return findOnPath("chromium") ?? findOnPath("chromium-browser") ?? findOnPath("google-chrome");
}

export function findFirefox(): string | undefined {
  return findOnPath("firefox") ?? findOnPath("firefox-esr");
}

function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function describeKubectl(path: string): Kubectl[] {
  try {
    const text = execFileSync(path, ["version", "--client", "-o", "json"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const version = /"gitVersion": *"(v1\.(\d+)[^"]*)"/.exec(text);
    return version?.[1] ? [{ path, version: version[1], minor: Number(version[2]) }] : [];
  } catch {
    return [];
  }
}
