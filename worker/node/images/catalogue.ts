// Images whose behaviour is known: what they run when no command is given, and how large they are.
import type { ImageReference } from "./reference.ts";

export interface KnownImage {
  readonly sizeBytes: number;
  /**
   * `server` runs until it is stopped and ends cleanly on SIGTERM; `shell` is an interpreter, which ends at once without a
   * terminal and input; `once` prints something and ends.
   */
  readonly entry: "server" | "shell" | "once";
  /** Groups of the image's user, as the runtime reports them. */
  readonly groups?: readonly number[];
  readonly uid?: number;
  /** The program refuses to start unless one of these variables is set. */
  readonly needsEnvironment?: readonly string[];
}

const server = (sizeBytes: number, more: Partial<KnownImage> = {}): KnownImage => ({
  sizeBytes,
  entry: "server",
  ...more,
});
const shell = (sizeBytes: number, more: Partial<KnownImage> = {}): KnownImage => ({
  sizeBytes,
  entry: "shell",
  ...more,
});

/** By the last part of the name. */
const images: Readonly<Record<string, KnownImage>> = {
  nginx: server(72_099_410),
  "nginx-unprivileged": server(72_304_511, { uid: 101 }),
  httpd: server(45_312_074),
  caddy: server(21_478_902),
  redis: server(52_804_310),
  memcached: server(30_871_226, { uid: 11211 }),
  postgres: server(160_410_774, {
    needsEnvironment: ["POSTGRES_PASSWORD", "POSTGRES_HOST_AUTH_METHOD", "POSTGRES_PASSWORD_FILE"],
  }),
  mysql: server(235_481_920, {
    needsEnvironment: [
      "MYSQL_ROOT_PASSWORD",
      "MYSQL_ALLOW_EMPTY_PASSWORD",
      "MYSQL_RANDOM_ROOT_PASSWORD",
      "MYSQL_ROOT_PASSWORD_FILE",
    ],
  }),
  mariadb: server(104_218_633, {
    needsEnvironment: [
      "MARIADB_ROOT_PASSWORD",
      "MYSQL_ROOT_PASSWORD",
      "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD",
      "MARIADB_RANDOM_ROOT_PASSWORD",
    ],
  }),
  mongo: server(266_731_584),
  rabbitmq: server(102_945_170),
  pause: server(320_448, { uid: 65535 }),
  coredns: server(23_553_139, { uid: 65532 }),
  "kube-proxy": server(28_201_422),
  echoserver: server(46_237_695),
  "echo-server": server(14_102_311),
  whoami: server(2_929_714),
  agnhost: server(53_321_402),
  "hello-app": server(11_526_113, { uid: 65532 }),
  busybox: shell(2_156_518, { groups: [0, 10] }),
  alpine: shell(3_802_452, { groups: [0, 1, 2, 3, 4, 6, 10, 11, 20, 26, 27] }),
  ubuntu: shell(29_724_688),
  debian: shell(49_279_530),
  fedora: shell(66_042_718),
  bash: shell(6_873_211),
  python: shell(363_102_204),
  node: shell(398_812_551),
  perl: shell(348_914_006),
  ruby: shell(363_812_700),
  golang: shell(316_200_941),
  curl: shell(9_844_101, { uid: 101 }),
  "hello-world": { sizeBytes: 10_072, entry: "once" },
  stress: shell(4_041_495),
};

export function knownImage(reference: ImageReference): KnownImage | undefined {
  return Object.hasOwn(images, reference.base) ? images[reference.base] : undefined;
}
