// Images whose behaviour is known: what they run when no command is given, which programs they have, and how large they are.
import { agnhostFiles, httpdFiles, nginxFiles } from "./files.ts";
import { hasOfficialTag, isOfficial } from "./official.ts";
import { isMisspelled } from "./misspelled.ts";
import { hub, type ImageReference } from "./reference.ts";

export interface KnownImage {
  readonly sizeBytes: number;
  /** What it runs if nothing else is said. */
  readonly command: readonly string[];
  /** Arguments are those of its own program; otherwise they are a command. `unlessProgram`: those that begin with one are. */
  readonly entrypoint?: boolean | "unlessProgram";
  /** `none`: its own program alone. `busybox`, `alpine`, `debian`: what those have. Absent: whatever is asked for. */
  readonly programs?: "none" | "busybox" | "alpine" | "debian";
  /** Groups of the image's user, as the runtime reports them. */
  readonly groups?: readonly number[];
  readonly uid?: number;
  /** Its other users of whom somebody may ask: their own group, and those that they are in besides. */
  readonly users?: Readonly<Record<number, { readonly gid: number; readonly groups: readonly number[] }>>;
  /** Files that examples read or replace. */
  readonly files?: Readonly<Record<string, string>>;
}

const image = (sizeBytes: number, command: string, more: Partial<KnownImage> = {}): KnownImage => ({
  sizeBytes,
  command: command.split(" ").map((word) => word.replace("%20", " ")),
  ...more,
});
const own = { entrypoint: true, programs: "none" } as const;

/** By the last part of the name, or the last two. */
const images: Readonly<Record<string, KnownImage>> = {
  nginx: image(72_099_410, "nginx -g daemon%20off;", {
    programs: "debian",
    files: nginxFiles(80),
  }),
  "nginx-slim": image(40_110_250, "nginx -g daemon%20off;", { programs: "debian", files: nginxFiles(80) }),
  nginxhttps: image(54_200_118, "nginx -g daemon%20off;", { programs: "debian", files: nginxFiles(80) }),
  "nginx-unprivileged": image(72_304_511, "nginx -p 8080", { uid: 101, files: nginxFiles(8080) }),
  httpd: image(45_312_074, "httpd-foreground", {
    programs: "debian",
    files: httpdFiles,
  }),
  "ingress-nginx/controller": image(104_215_880, "/nginx-ingress-controller", { uid: 101 }),
  "sandbar/gateway": image(20_410_000, "sandbar-gateway", { entrypoint: true, programs: "none", uid: 65532 }),
  podinfo: image(30_914_210, "podinfo", { uid: 100 }),
  "gb-frontend": image(310_206_114, "gb-frontend"),
  "gb-redis-follower": image(36_102_344, "redis-server --replicaof redis-leader 6379"),
  "gb-redisslave": image(36_102_344, "redis-server --replicaof redis-master 6379"),
  "prometheus/prometheus": image(138_402_117, "prometheus", { entrypoint: true, programs: "busybox", uid: 65534 }),
  "prom/prometheus": image(138_402_117, "prometheus", { entrypoint: true, programs: "busybox", uid: 65534 }),
  "prometheus/alertmanager": image(35_118_204, "alertmanager", { entrypoint: true, programs: "busybox", uid: 65534 }),
  "prom/alertmanager": image(35_118_204, "alertmanager", { entrypoint: true, programs: "busybox", uid: 65534 }),
  "grafana/grafana": image(201_340_226, "grafana", { entrypoint: true, programs: "alpine", uid: 472 }),
  wordpress: image(243_118_420, "wordpress"),
  "microservices-demo/frontend": image(14_805_930, "boutique-frontend"),
  "examples-bookinfo-productpage-v1": image(60_204_112, "bookinfo-productpage"),
  "examples-bookinfo-details-v1": image(60_810_427, "bookinfo-details"),
  "examples-bookinfo-ratings-v1": image(55_114_902, "bookinfo-ratings"),
  "examples-bookinfo-reviews-v1": image(190_442_107, "bookinfo-reviews-v1"),
  "examples-bookinfo-reviews-v2": image(190_442_861, "bookinfo-reviews-v2"),
  "examples-bookinfo-reviews-v3": image(190_443_003, "bookinfo-reviews-v3"),
  caddy: image(21_478_902, "caddy run"),
  redis: image(52_804_310, "redis-server"),
  memcached: image(30_871_226, "memcached", { uid: 11211 }),
  postgres: image(160_410_774, "postgres"),
  mysql: image(235_481_920, "mysqld"),
  mariadb: image(104_218_633, "mariadbd"),
  mongo: image(266_731_584, "mongod"),
  rabbitmq: image(102_945_170, "rabbitmq-server"),
  pause: image(320_448, "pause", { ...own, uid: 65535 }),
  coredns: image(23_553_139, "coredns", { ...own, uid: 65532 }),
  "kube-proxy": image(28_201_422, "kube-proxy"),
  echoserver: image(46_237_695, "echoserver"),
  "echo-server": image(14_102_311, "echoserver"),
  "http-echo": image(5_050_000, "http-echo", own),
  whoami: image(2_929_714, "whoami", own),
  serve_hostname: image(2_117_120, "/agnhost serve-hostname", { entrypoint: true }),
  agnhost: image(53_321_402, "/agnhost pause", {
    entrypoint: true,
    files: agnhostFiles,
    users: { 1000: { gid: 1000, groups: [50000] } },
  }),
  "sample-apiserver": image(24_501_118, "sample-apiserver", own),
  nonroot: image(19_601_224, "nonroot", { uid: 1234 }),
  nonewprivs: image(8_104_220, "nonewprivs", { entrypoint: true }),
  kitten: image(8_301_711, "kitten", { files: { "/data.json": '{"image": "kitten.jpg"}\n' } }),
  nautilus: image(8_301_942, "nautilus", {
    files: { "/data.json": '{"image": "nautilus.jpg"}\n' },
  }),
  liveness: image(2_500_000, "liveness", { entrypoint: true }),
  goproxy: image(1_700_000, "goproxy", { entrypoint: true }),
  "hello-app": image(11_526_113, "hello-app", { ...own, uid: 65532 }),
  "kubernetes-bootcamp": image(83_571_102, "kubernetes_bootcamp"),
  "node-hello": image(264_103_000, "node-hello"),
  "hello-frontend": image(53_001_000, "hello-frontend"),
  "hello-go-gke": image(18_402_000, "hello-go-gke"),
  "hpa-example": image(180_100_000, "apache2-foreground", { programs: "debian" }),
  busybox: image(2_156_518, "sh", { programs: "busybox", groups: [0, 10] }),
  alpine: image(3_802_452, "sh", {
    programs: "alpine",
    groups: [0, 1, 2, 3, 4, 6, 10, 11, 20, 26, 27],
  }),
  busyboxplus: image(13_224_000, "sh"),
  netshoot: image(201_345_000, "zsh"),
  "jessie-dnsutils": image(84_000_000, "sleep 3600"),
  ubuntu: image(29_724_688, "bash"),
  debian: image(49_279_530, "bash"),
  fedora: image(66_042_718, "bash"),
  bash: image(6_873_211, "bash"),
  python: image(363_102_204, "python3"),
  node: image(398_812_551, "node"),
  perl: image(348_914_006, "perl"),
  ruby: image(363_812_700, "ruby"),
  golang: image(316_200_941, "bash"),
  curl: image(9_844_101, "curl", { entrypoint: "unlessProgram", programs: "alpine", uid: 101 }),
  "hello-world": image(10_072, "hello", own),
  stress: image(4_041_495, "stress", { entrypoint: false }),
};

/** The names of images that are known, without their organisations. */
export const knownNames: readonly string[] = Object.keys(images).map((name) => name.slice(name.lastIndexOf("/") + 1));

export function knownImage(reference: ImageReference): KnownImage | undefined {
  const own = reference.name.split("/").slice(-2).join("/");
  return [own, reference.base].flatMap((name) => (Object.hasOwn(images, name) ? [images[name]] : []))[0];
}

/**
 * Reports whether the known contents of an image are those of the image by this name. Another organisation's build of a program of Docker's
 * official images, as `bitnami/nginx`, has other paths, users and ports.
 */
export function isExact({ name, base }: ImageReference): boolean {
  const [host = "", ...path] = name.split("/");
  if (/^(registry\.k8s\.io|k8s\.gcr\.io|gcr\.io)$/.test(host) || path.at(-2) === "library") return true;
  return !isOfficial(base) || Object.hasOwn(images, path.slice(-2).join("/"));
}

/** Of others' images one whose tags are known, and misspellings of `latest`. */
export function hasTag(reference: ImageReference): boolean {
  const { name, tag = "latest" } = reference;
  if (name.startsWith(`${hub}/library/`)) return hasOfficialTag(reference);
  if (name.endsWith("/google-samples/kubernetes-bootcamp")) return tag === "v1" || tag === "v2" || tag === "latest";
  return !isMisspelled(tag, ["latest"]);
}
