// Creates the files of a release from the files of the checkout.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../build.ts";
import { buildClient } from "../client/build.ts";
import { buildLocal } from "../local/packed/build.ts";
import { writeImage } from "./image.ts";
import { releasedChangelog, requireNext, versioned } from "./version.ts";

export interface Release {
  /** The checkout. */
  readonly root: string;
  readonly version: string;
  /** The folder for the files, which is emptied first. */
  readonly out: string;
  /** Whether the checkout is left unchanged. */
  readonly isDry: boolean;
  /** Whether the checkout may be that of the version already, as at its tag. Only for a dry run. */
  readonly isTagged: boolean;
  /** Whether `dist/worker` and `dist/web` exist already. */
  readonly isBuilt: boolean;
  readonly hasImage: boolean;
  /** The date in the form `2026-01-31`. */
  readonly today: string;
  log(line: string): void;
}

/** The list of checksums, by which a release's folder is recognised. */
const sumsFile = "SHA256SUMS";

export async function release(options: Release): Promise<void> {
  const { root, version, out, isDry, isTagged, isBuilt, hasImage, today, log } = options;
  const path = (name: string) => join(root, name);
  const changelog = readFileSync(path("CHANGELOG.md"), "utf8");
  // The project's package.json.
  const { version: current } = JSON.parse(readFileSync(path("package.json"), "utf8")) as { version: string };
  const isOfTag = isDry && isTagged && current === version;
  if (!isOfTag) requireNext(current, version, !/^## \d/m.test(changelog));
  const changes = isOfTag
    ? []
    : [
        { path: "CHANGELOG.md", text: releasedChangelog(changelog, version, today) },
        ...versioned(version, (name) => (existsSync(path(name)) ? readFileSync(path(name), "utf8") : undefined)),
      ];
  emptyFolder(out);
  if (!isBuilt) await build();
  await buildClient(root, version);
  await buildLocal(root, version);
  for (const folder of ["client", "local"]) pack(path(`dist/${folder}`), out);
  if (hasImage) {
    const digest = await writeImage({
      folder: path("dist/local"),
      root,
      file: join(out, `sandbar-${version}.oci.tar`),
      version,
    });
    log(`image ${digest}`);
  }
  const names = readdirSync(out)
    .filter((name) => name !== sumsFile)
    .sort();
  const sums = names.map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex")}  ${name}`,
  );
  writeFileSync(join(out, sumsFile), `${sums.join("\n")}\n`);
  for (const line of sums) log(line);
  for (const { path: name, text } of changes) {
    log(`${isDry ? "would write" : "writes"} ${name}`);
    if (!isDry) writeFileSync(path(name), text);
  }
  for (const step of stepsAfter(version)) log(step);
}

/** Empties a folder that an earlier release wrote, also one that was interrupted. Refuses to remove anything else. */
function emptyFolder(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(join(out, sumsFile)))
    throw new Error(`${out} has files that no release wrote: name a new folder with --out`);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, sumsFile), "");
}

/** Returns the steps that need credentials. The workflow `release.yml` does the rest. */
function stepsAfter(version: string): string[] {
  const tags = [`v${version}`, `sdk/go/v${version}`];
  return [
    "Then:",
    `  git commit --all --message "Release ${version}"`,
    ...tags.map((tag) => `  git tag ${tag}`),
    `  git push --atomic origin HEAD ${tags.join(" ")}`,
  ];
}

function pack(folder: string, out: string): void {
  execFileSync("npm", ["pack", folder, "--silent", "--pack-destination", out], {
    cwd: out,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
