// What a container runs: its command, or its image's, or what its author says in an annotation.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { knownImage } from "../images/catalogue.ts";
import type { KnownImage } from "../images/known-image.ts";
import { exactImage, imageNamed, type NamedImage } from "../images/image-lookup.ts";
import { hub } from "../images/reference.ts";
import type { ImageSource, OwnImage } from "../images/own-images.ts";
import { programs } from "../shell/programs.ts";
import { installedIn } from "./image-programs.ts";
import { type ArgumentRoom, declared, expanded, fits, newArgumentRoom } from "./environment.ts";

/** `run.sandbar.dev/<container>`: a script that the container runs instead of what its image and command say. */
export const scriptAnnotation = "run.sandbar.dev/";

export interface Program {
  readonly words: readonly string[];
  /** An unknown program serves, or does its work and ends. */
  readonly unknown: "serves" | "ends";
  readonly programs: ReadonlySet<string> | undefined;
  /** The image's own program is taken to be that of the official image by the same name. */
  readonly isAssumed: boolean;
  /** What is not among its files is missing. */
  readonly knowsFiles: boolean;
  readonly memoryLimit: number | undefined;
}

/** `room`: what of its words does not fit is left out. */
export function programOf(
  pod: Pod,
  container: Container,
  environment: Readonly<Record<string, string>>,
  source: ImageSource,
  room = newArgumentRoom(),
): Program {
  const script = pod.metadata.annotations?.[scriptAnnotation + container.name];
  const image = imageNamed(container.image, source);
  const known = image?.software && knownImage(image.software);
  const exact = image && exactImage(image);
  const limit = container.resources.limits?.["memory"];
  const variables = declared(pod, container, environment, source);
  const words =
    script === undefined
      ? wordsOf(container, known, image?.ownImage).map((word) => expandedWord(word, variables, room))
      : ["sh", "-c", script];
  const has = script === undefined && image ? programsOf(exact, image) : undefined;
  return {
    words,
    unknown: servesForEver(pod, container) ? "serves" : "ends",
    isAssumed:
      script === undefined &&
      !exact &&
      known !== undefined &&
      !container.command?.length &&
      !image?.ownImage?.entrypoint,
    programs: has,
    // The files of an own image are known if those of its base image are.
    knowsFiles:
      script === undefined && (exact?.programs !== undefined || (image?.ownImage !== undefined && has !== undefined)),
    memoryLimit: limit === undefined ? undefined : quantityValue(limit),
  };
}

function expandedWord(word: string, variables: Readonly<Record<string, string>>, room: ArgumentRoom): string {
  const text = expanded(word, variables, room);
  return fits(room, text.length) ? text : "";
}

function wordsOf(
  { command = [], args: given = [] }: Container,
  known: KnownImage | undefined,
  defined: OwnImage | undefined,
): readonly string[] {
  if (command.length > 0) return [...command, ...given];
  const args = given.length > 0 ? given : (defined?.command ?? []);
  if (defined?.entrypoint) return [...defined.entrypoint, ...args];
  // The author of a definition knows whether the image below has an entry point.
  if (defined && !known && args.length > 0) return args;
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

/** Which programs an image has, where that is known. */
function programsOf(
  known: KnownImage | undefined,
  { software, ownImage: own }: NamedImage,
): ReadonlySet<string> | undefined {
  const below = programsBelow(known, software);
  return below && own && own.programs.length > 0 ? new Set([...below, ...own.programs]) : below;
}

function programsBelow(
  known: KnownImage | undefined,
  software: NamedImage["software"],
): ReadonlySet<string> | undefined {
  if (!software) return new Set();
  if (known?.programs === "none") return new Set(known.command.slice(0, 1));
  const isOfficial = software.name.startsWith(`${hub}/library/`);
  return isOfficial || known?.programs ? installedIn(software)?.names : undefined;
}
