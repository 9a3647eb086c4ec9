// Builds the published package of the client into dist/client: the library, the test helper and the command line.
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { packageNames, repository } from "../release/names.ts";
import { writtenTypes } from "./types.ts";

/** Builds the package. `version`: replaces the version of package.json. */
export async function buildClient(root: string, version?: string): Promise<void> {
  const folder = join(root, "dist/client");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await Promise.all([
    // The command line and the helper share the library. Code that only some commands need is loaded by them.
    bundle(root, { index: "client/index.ts", testing: "client/testing.ts" }, "neutral"),
    bundle(root, { sandbar: "client/cli/main.ts" }, "node"),
  ]);
  chmodSync(join(folder, "sandbar.js"), 0o755);
  writeDeclarations(root, folder);
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(root, version), undefined, 2)}\n`);
  copyFileSync(join(root, "client/README.md"), join(folder, "README.md"));
  for (const name of ["LICENSE", "NOTICE"]) copyFileSync(join(root, name), join(folder, name));
}

function bundle(root: string, entryPoints: Record<string, string>, platform: "neutral" | "node") {
  return build({
    absWorkingDir: root,
    entryPoints,
    outdir: "dist/client",
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    format: "esm",
    platform,
    target: "es2022",
    ...(platform === "node" ? { minifySyntax: true, minifyWhitespace: true } : {}),
    legalComments: "none",
    logLevel: "warning",
    external: ["node:*"],
    // Bundled CommonJS code may require Node's own modules.
    ...(platform === "node"
      ? {
          banner: {
            js: '#!/usr/bin/env node\nimport { createRequire as sandbarRequire } from "node:module";\nconst require = sandbarRequire(import.meta.url);',
          },
        }
      : {}),
  });
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2024.d.ts"],
  types: ["node"],
  strict: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: false,
};

function writeDeclarations(root: string, folder: string): void {
  const files = [
    "index.ts",
    "testing.ts",
    "ask.ts",
    "embed.ts",
    "entity-tags.ts",
    "events.ts",
    "learner.ts",
    "sandbox-options.ts",
    "lti.ts",
    "classes.ts",
    "copies.ts",
    "operator.ts",
    "people.ts",
    "time-axis.ts",
    "work.ts",
  ].map((name) => join(root, "client", name));
  const declaring = { ...options, declaration: true, emitDeclarationOnly: true, outDir: folder };
  const declarationNames = new Set(
    files.map((path) => path.replace(/\.ts$/, ".d.ts").slice(path.lastIndexOf("/") + 1)),
  );
  ts.createProgram(files, declaring).emit(undefined, (path, text) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const isOurs = path.includes("/client/") && !path.includes("/cli/");
    if (isOurs && declarationNames.has(name))
      writeFileSync(join(folder, name), text.replaceAll(/(from ".\/[\w-]+)\.ts"/g, '$1.js"'));
  });
  writeFileSync(join(folder, "types.d.ts"), writtenTypes(join(root, "client/types.ts"), options));
}

function manifest(root: string, released?: string): object {
  // The project's package.json.
  const {
    version: stated,
    license,
    description,
  } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
  const version = released ?? stated;
  return {
    name: packageNames.client,
    version,
    description: `${description}: its client and command line`,
    license,
    repository,
    type: "module",
    // `AbortSignal.any`. The commands that need more say so: see `client/cli/node-version.ts`.
    engines: { node: ">=20.3" },
    bin: { sandbar: "./sandbar.js" },
    // The service that `sandbar dev` starts: see `scripts/local/packed/build.ts`.
    peerDependencies: { [packageNames.local]: version },
    peerDependenciesMeta: { [packageNames.local]: { optional: true } },
    exports: {
      ".": { types: "./index.d.ts", default: "./index.js" },
      "./testing": { types: "./testing.d.ts", default: "./testing.js" },
    },
    sideEffects: false,
    publishConfig: { access: "public" },
  };
}
