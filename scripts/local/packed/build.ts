// Builds the published package of the local service into dist/local: the built service and its runner, without a checkout. It is a separate
// package, so that the package with the library and the command line does not depend on workerd.
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { packageNames, repository } from "../../release/names.ts";
import { bundleMiniflare, bundledMiniflare, workerdPackages } from "./miniflare.ts";

/** Builds the package. `dist/worker` and `dist/web` must exist. `version`: replaces the version of package.json. */
export async function buildLocal(root: string, version?: string): Promise<void> {
  const folder = join(root, "dist/local");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const common = {
    absWorkingDir: root,
    bundle: true,
    charset: "utf8",
    platform: "node",
    legalComments: "none",
    logLevel: "warning",
  } as const;
  await Promise.all([
    build({
      ...common,
      entryPoints: ["scripts/local/packed/main.ts"],
      outfile: "dist/local/main.js",
      format: "esm",
      target: "node22",
      plugins: [bundledMiniflare],
      minify: true,
      keepNames: true,
      // Bundled CommonJS code may require Node's own modules.
      banner: {
        js: 'import { createRequire as sandbarRequire } from "node:module";\nconst require = sandbarRequire(import.meta.url);',
      },
    }),
    build({
      ...common,
      entryPoints: ["scripts/local/packed/start.cjs"],
      outfile: "dist/local/start.cjs",
      format: "cjs",
      // Old versions of Node can run this file, so that it can report what it needs.
      target: "node12",
      supported: { "dynamic-import": true },
      external: ["./main.js", "./package.json"],
      banner: { js: "#!/usr/bin/env node" },
    }),
    bundleMiniflare(root, folder),
  ]);
  chmodSync(join(folder, "start.cjs"), 0o755);
  // The layout is that of a checkout. Source maps are left out, because they are larger than all the rest.
  for (const name of ["dist/worker", "dist/web", "migrations"]) {
    const isWanted = (path: string) => !/\.(map|br)$/.test(path) && !path.startsWith(join(root, "migrations/meta"));
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isWanted });
  }
  compressTexts(join(folder, "dist/web"));
  for (const path of globSync("dist/worker/*.js", { cwd: folder })) await shorten(join(folder, path));
  for (const name of ["wrangler.toml", "LICENSE", "NOTICE"]) copyFileSync(join(root, name), join(folder, name));
  copyFileSync(join(root, "scripts/local/packed/README.md"), join(folder, "README.md"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(root, version), undefined, 2)}\n`);
}

/** Shortens a module of the Worker. */
async function shorten(path: string): Promise<void> {
  const { code } = await transform(readFileSync(path, "utf8"), {
    minify: true,
    keepNames: true,
    charset: "utf8",
    format: "esm",
    legalComments: "none",
  });
  writeFileSync(path, code);
}

/** Compresses the texts that the Worker reads by `worker/edge/service/built-files.ts`, which makes them a third as large. */
function compressTexts(folder: string): void {
  for (const name of globSync("**/*.{css,html,js,json,svg}", { cwd: folder })) {
    const path = join(folder, name);
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
    rmSync(path);
  }
}

function manifest(root: string, released?: string): object {
  // The project's package.json.
  const { version, license, description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<
    "version" | "license" | "description",
    string
  >;
  return {
    name: packageNames.local,
    version: released ?? version,
    description: `${description}: the service, on this machine`,
    license,
    repository,
    type: "module",
    engines: { node: ">=22.13" },
    bin: { "sandbar-local": "./start.cjs" },
    // npm installs the package of the machine. None of them runs a program when it is installed.
    optionalDependencies: workerdPackages(),
    publishConfig: { access: "public" },
  };
}
