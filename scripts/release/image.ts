// Creates an OCI image of the packed local service without an image builder. It contains this machine's Node and workerd, the libraries
// that they are linked with, and the package, and not even a shell.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

export interface Image {
  /** The built package. */
  readonly folder: string;
  /** The checkout, whose node_modules has workerd and Node. */
  readonly root: string;
  /** The archive to write, which `docker load` and `skopeo` read. */
  readonly file: string;
  readonly version: string;
}

const media = "application/vnd.oci.image";
const user = { id: 65532, name: "sandbar" };
const processors: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Writes the image. Returns the digest of its manifest. */
export async function writeImage({ folder, root, file, version }: Image): Promise<string> {
  const architecture = processors[process.arch];
  if (process.platform !== "linux" || !architecture)
    throw new Error("an image can only be made on Linux (x64, arm64): see --no-image");
  const work = mkdtempSync(join(tmpdir(), "sandbar-image-"));
  try {
    const tree = join(work, "tree");
    writeTree(tree, folder, root);
    const layout = join(work, "layout");
    const digest = writeLayout(layout, { layer: tarOf(tree), architecture, version });
    writeFileSync(file, tarOf(layout));
    return digest;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Writes the files of an OCI image layout with one layer, and the `manifest.json` that `docker load` of an engine without containerd's
 * image store reads. Returns the digest of the manifest.
 */
export function writeLayout(
  layout: string,
  { layer, architecture, version }: { readonly layer: Buffer; readonly architecture: string; readonly version: string },
): string {
  const blobs = "blobs/sha256";
  mkdirSync(join(layout, blobs), { recursive: true });
  const pathOf = (digest: string) => `${blobs}/${digest.slice("sha256:".length)}`;
  const blob = (mediaType: string, bytes: Uint8Array) => {
    const digest = digestOf(bytes);
    writeFileSync(join(layout, pathOf(digest)), bytes);
    return { mediaType, digest, size: bytes.byteLength };
  };
  const json = (mediaType: string, value: object) => blob(mediaType, Buffer.from(JSON.stringify(value)));
  const config = json(`${media}.config.v1+json`, configOf(architecture, digestOf(layer), version));
  const layers = [blob(`${media}.layer.v1.tar+gzip`, gzipSync(layer, { level: 6 }))];
  const manifest = json(`${media}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${media}.manifest.v1+json`,
    config,
    layers,
  });
  const name = `sandbar:${version}`;
  const annotations = { "org.opencontainers.image.ref.name": version, "io.containerd.image.name": name };
  const index = {
    schemaVersion: 2,
    mediaType: `${media}.index.v1+json`,
    manifests: [{ ...manifest, annotations, platform: { architecture, os: "linux" } }],
  };
  const loaded = [
    { Config: pathOf(config.digest), RepoTags: [name], Layers: layers.map(({ digest }) => pathOf(digest)) },
  ];
  for (const [path, value] of [
    ["index.json", index],
    ["oci-layout", { imageLayoutVersion: "1.0.0" }],
    ["manifest.json", loaded],
  ] as const)
    writeFileSync(join(layout, path), JSON.stringify(value));
  return manifest.digest;
}

function configOf(architecture: string, layer: string, version: string): object {
  const environment = {
    PATH: "/usr/local/bin",
    SANDBAR_DATA: "/data",
    // Published ports do not reach the loopback address of the container.
    SANDBAR_LISTEN: "0.0.0.0",
    SANDBAR_HTTP_LISTEN: "0.0.0.0",
    SANDBAR_SERVER: "https://localhost:8443",
  };
  const second = 1_000_000_000;
  const check =
    'fetch("http://127.0.0.1:8787/healthz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))';
  return {
    architecture,
    os: "linux",
    config: {
      User: `${user.id}:${user.id}`,
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Entrypoint: ["/usr/local/bin/node", "/app/start.cjs"],
      Cmd: ["dev"],
      WorkingDir: "/data",
      ExposedPorts: { "8443/tcp": {}, "8787/tcp": {} },
      Volumes: { "/data": {} },
      Labels: {
        "org.opencontainers.image.title": "Sandbar",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
      },
      StopSignal: "SIGTERM",
      // Docker reads this field, which is not part of the OCI specification.
      Healthcheck: {
        Test: ["CMD", "/usr/local/bin/node", "--eval", check],
        Interval: 5 * second,
        StartPeriod: 30 * second,
        Retries: 3,
        Timeout: 5 * second,
      },
    },
    rootfs: { type: "layers", diff_ids: [layer] },
    history: [{ created_by: "npm run release" }],
  };
}

function writeTree(tree: string, folder: string, root: string): void {
  cpSync(folder, join(tree, "app"), { recursive: true });
  const name = `@cloudflare/workerd-linux-${process.arch === "x64" ? "64" : process.arch}`;
  const workerd = createRequire(join(root, "package.json")).resolve(`${name}/bin/workerd`);
  const programs = [
    { from: realpathSync(process.execPath), to: "usr/local/bin/node" },
    { from: workerd, to: `app/node_modules/${name}/bin/workerd` },
  ];
  for (const { from, to } of programs) put(tree, from, to, 0o755);
  const libraries = new Set(programs.flatMap(({ from }) => librariesOf(from)));
  for (const path of libraries) put(tree, realpathSync(path), path.slice(1), 0o755);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  write("etc/passwd", `root:x:0:0:root:/:/\n${user.name}:x:${user.id}:${user.id}::/data:/\n`);
  write("etc/group", `root:x:0:\n${user.name}:x:${user.id}:\n`);
  write("etc/nsswitch.conf", "hosts: files dns\n");
  // The container may be run as another user.
  for (const path of ["data", "tmp"]) {
    mkdirSync(join(tree, path), { recursive: true });
    chmodSync(join(tree, path), 0o1777);
  }
}

function put(tree: string, from: string, to: string, mode: number): void {
  mkdirSync(dirname(join(tree, to)), { recursive: true });
  copyFileSync(from, join(tree, to));
  chmodSync(join(tree, to), mode);
}

/** Returns the paths of the libraries that the loader would load. */
function librariesOf(program: string): string[] {
  const lines = execFileSync("ldd", [program], { encoding: "utf8" }).split("\n");
  return lines
    .flatMap((line) => line.split(/\s/).find((word) => word.startsWith("/")) ?? [])
    .filter((path) => statSync(path).isFile());
}

/** Returns a reproducible archive: equal for equal files, independent of time and user. */
function tarOf(folder: string): Buffer {
  const words = [
    "--create",
    "--sort=name",
    "--mtime=@0",
    "--numeric-owner",
    "--format=gnu",
    "--owner=0",
    "--group=0",
    "--directory",
    folder,
    ".",
  ];
  return execFileSync("tar", words, { maxBuffer: 2 ** 31 - 1 });
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
