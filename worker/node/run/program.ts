// What a container runs: its command, or its image's, or what its author says in an annotation.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { type KnownImage, knownImage } from "../images/catalogue.ts";
import { parseImage } from "../images/reference.ts";
import { programs } from "../shell/programs.ts";
import { type ArgumentRoom, declared, expanded, fits, newArgumentRoom } from "./environment.ts";

/** `run.sandbar.dev/<container>`: a script that the container runs instead of what its image and command say. */
export const scriptAnnotation = "run.sandbar.dev/";

export interface Program {
  readonly words: readonly string[];
  /** An unknown program serves, or does its work and ends. */
  readonly unknown: "serves" | "ends";
  readonly programs: ReadonlySet<string> | undefined;
  readonly memoryLimit: number | undefined;
}

/** `room`: what of its words does not fit is left out. */
export function programOf(
  pod: Pod,
  container: Container,
  environment: Readonly<Record<string, string>>,
  room = newArgumentRoom(),
): Program {
  const script = pod.metadata.annotations?.[scriptAnnotation + container.name];
  const reference = parseImage(container.image ?? "");
  const known = "error" in reference ? undefined : knownImage(reference);
  const limit = container.resources.limits?.["memory"];
  const variables = declared(pod, container, environment);
  const words =
    script === undefined
      ? wordsOf(container, known).map((word) => expandedWord(word, variables, room))
      : ["sh", "-c", script];
  return {
    words,
    unknown: servesForEver(pod, container) ? "serves" : "ends",
    programs: script === undefined ? programsOf(known, "tag" in reference ? reference.tag : undefined) : undefined,
    memoryLimit: limit === undefined ? undefined : quantityValue(limit),
  };
}

function expandedWord(word: string, variables: Readonly<Record<string, string>>, room: ArgumentRoom): string {
  const text = expanded(word, variables, room);
  return fits(room, text.length) ? text : "";
}

function wordsOf({ command = [], args = [] }: Container, known: KnownImage | undefined): readonly string[] {
  if (command.length > 0) return [...command, ...args];
  const [program = imageProgram, ...rest] = known?.command ?? [];
  if (args.length === 0) return [program, ...rest];
  // An image that is not known is taken to have a program of its own, which its arguments are for.
  const isProgram = known?.entrypoint === "unlessProgram" && programs.has(args[0] ?? "");
  const own = known === undefined || (known.entrypoint && !isProgram) || args[0]?.startsWith("-");
  return own ? [program, ...args] : args;
}

/** The program of an image that is not known. */
export const imageProgram = "/entrypoint";

/** What is started again whenever it ends is a server; in jobs and before a pod's own containers programs have an end. */
function servesForEver(pod: Pod, container: Container): boolean {
  if (container.restartPolicy === "Always") return true;
  if (pod.spec.initContainers?.some((one) => one.name === container.name)) return false;
  return (container.restartPolicy ?? pod.spec.restartPolicy ?? "Always") === "Always";
}

const notInBusybox = new Set(
  "apt apt-get apk yum dnf microdnf bash dash zsh curl dig host getent ncat perl python python3 node ruby sudo tini dumb-init setsid stress stress-ng pg_isready psql redis-cli mysql mysqladmin mariadb mariadb-admin sqlite3 nodejs pip pip3 npm serve oom agnhost hello".split(
    " ",
  ),
);
const notInDebian = new Set(
  "apk yum dnf microdnf ip ifconfig ash wget nslookup dig host nc ncat netcat telnet ping ps free busybox perl python python3 node ruby sudo tini dumb-init stress stress-ng pg_isready psql redis-cli mysql mysqladmin mariadb mariadb-admin sqlite3 nodejs pip pip3 npm serve oom agnhost hello".split(
    " ",
  ),
);
/** Commands of a shell that are no programs. */
const onlyInShells = new Set(
  ". : alias break builtin cd continue declare eval exec exit export hash let local read readonly return set shift shopt source trap type typeset ulimit umask unset wait [[".split(
    " ",
  ),
);
const serving = new Set(
  "podinfo podcli grpc_health_probe gb-frontend wordpress boutique-frontend bookinfo-productpage bookinfo-details bookinfo-ratings bookinfo-reviews-v1 bookinfo-reviews-v2 bookinfo-reviews-v3 nginx-ingress-controller redis-server memcached postgres mysqld mariadbd mongod rabbitmq-server pause coredns caddy liveness sample-apiserver nonewprivs goproxy hello-app kubernetes_bootcamp echoserver".split(
    " ",
  ),
);

/** Programs of which nothing is told. */
const moreInBusybox =
  "gzip gunzip unzip md5sum sha1sum sha256sum chroot mount umount adduser addgroup route netstat sysctl vi less more clear top stty tty passwd cmp diff";
const moreInDebian =
  "gzip gunzip md5sum sha1sum sha256sum chroot mount umount useradd groupadd more clear stty tty chsh passwd cmp diff ldconfig openssl";

function without(missing: ReadonlySet<string>, more: string): ReadonlySet<string> {
  const all = [...programs.keys(), ...more.split(" ")];
  return new Set(all.filter((name) => !missing.has(name) && !onlyInShells.has(name) && !serving.has(name)));
}
const inBusybox = without(notInBusybox, moreInBusybox);
const inDebian = without(notInDebian, moreInDebian);
const inAlpine: ReadonlySet<string> = new Set([...inBusybox, "apk", "getent"]);

function programsOf(known: KnownImage | undefined, tag = ""): ReadonlySet<string> | undefined {
  if (!known?.programs) return undefined;
  if (known.programs === "none") return new Set(known.command.slice(0, 1));
  if (known.programs === "busybox") return inBusybox;
  // Debian's images have a smaller one beside them.
  const isAlpine = known.programs === "alpine" || /(^|-)alpine/.test(tag);
  const hasCurl = known.programs === "debian" || known.command[0] === "curl";
  return isAlpine ? new Set([...inAlpine, ...(hasCurl ? ["curl"] : [])]) : inDebian;
}
