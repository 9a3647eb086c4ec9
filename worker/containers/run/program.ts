// Determines what a container runs: its command, the command of its image, or the script in an annotation of its pod.
import { quantityValue } from "../../../shared/k8s/quantity.ts";
import type { Container, Pod } from "../../../shared/k8s/api/core-v1.ts";
import { knownImage } from "../images/catalogue.ts";
import type { KnownImage } from "../images/known-image.ts";
import { exactImage, imageNamed, type NamedImage } from "../images/image-lookup.ts";
import { hub } from "../images/reference.ts";
import type { ImageSource, OwnImage } from "../images/own-images.ts";
import { programs } from "../shell/programs.ts";
import { installedIn } from "./image-programs.ts";
import { type ArgumentBudget, declaredVariables, expanded, fits, newArgumentBudget } from "./environment.ts";

/** `run.sandbar.dev/<container>`: a script that the container runs instead of what its image and command say. */
export const scriptAnnotation = "run.sandbar.dev/";

export interface Program {
  readonly words: readonly string[];
  /** Whether an unknown program is assumed to serve for ever, or to do its work and end. */
  readonly unknown: "serves" | "ends";
  readonly programs: ReadonlySet<string> | undefined;
  /** Whether the program of the image is assumed to be that of the official image of the same name. */
  readonly isAssumed: boolean;
  /** Whether all files of the image are known, so that any other file is missing. */
  readonly knowsFiles: boolean;
  readonly memoryLimit: number | undefined;
}

/** Returns the program of a container. Words that exceed `room` are replaced by empty ones. */
export function programOf(
  pod: Pod,
  container: Container,
  environment: Readonly<Record<string, string>>,
  source: ImageSource,
  budget = newArgumentBudget(),
): Program {
  const script = pod.metadata.annotations?.[scriptAnnotation + container.name];
  const image = imageNamed(container.image, source);
  const imageDefinition = image?.software && knownImage(image.software);
  const exact = image && exactImage(image);
  const limit = container.resources.limits?.["memory"];
  const variables = declaredVariables(pod, container, environment, source);
  const words =
    script === undefined
      ? wordsOf(container, imageDefinition, image?.ownImage).map((word) => expandedWord(word, variables, budget))
      : ["sh", "-c", script];
  const has = script === undefined && image ? programsOf(exact, image) : undefined;
  return {
    words,
    unknown: servesForEver(pod, container) ? "serves" : "ends",
    isAssumed:
      script === undefined &&
      !exact &&
      imageDefinition !== undefined &&
      !container.command?.length &&
      !image?.ownImage?.entrypoint,
    programs: has,
    // The files of an own image are known if those of its base image are.
    knowsFiles:
      script === undefined && (exact?.programs !== undefined || (image?.ownImage !== undefined && has !== undefined)),
    memoryLimit: limit === undefined ? undefined : quantityValue(limit),
  };
}

function expandedWord(word: string, variables: Readonly<Record<string, string>>, budget: ArgumentBudget): string {
  const text = expanded(word, variables, budget);
  return fits(budget, text.length) ? text : "";
}

function wordsOf(
  { command = [], args: containerArgs = [] }: Container,
  imageDefinition: KnownImage | undefined,
  defined: OwnImage | undefined,
): readonly string[] {
  if (command.length > 0) return [...command, ...containerArgs];
  const args = containerArgs.length > 0 ? containerArgs : (defined?.command ?? []);
  if (defined?.entrypoint) return [...defined.entrypoint, ...args];
  // The author of an image definition knows whether the base image has an entry point.
  if (defined && !imageDefinition && args.length > 0) return args;
  const [program = imageProgram, ...rest] = imageDefinition?.command ?? [];
  if (args.length === 0) return [program, ...rest];
  // An unknown image is assumed to have an entry point that takes the arguments.
  const isProgram = imageDefinition?.entrypoint === "unlessProgram" && programs.has(args[0] ?? "");
  const runsImageProgram =
    imageDefinition === undefined || (imageDefinition.entrypoint && !isProgram) || args[0]?.startsWith("-");
  return runsImageProgram ? [program, ...args] : args;
}

/** The program of an image that is not known. */
export const imageProgram = "/entrypoint";

/** Reports whether the kubelet restarts the container whenever it ends, so that its program is assumed to be a server. */
function servesForEver(pod: Pod, container: Container): boolean {
  if (container.restartPolicy === "Always") return true;
  if (pod.spec.initContainers?.some((initContainer) => initContainer.name === container.name)) return false;
  return (container.restartPolicy ?? pod.spec.restartPolicy ?? "Always") === "Always";
}

/** Returns the programs that an image has; undefined if they are not known. */
function programsOf(
  imageDefinition: KnownImage | undefined,
  { software, ownImage }: NamedImage,
): ReadonlySet<string> | undefined {
  const below = programsBelow(imageDefinition, software);
  return below && ownImage && ownImage.programs.length > 0 ? new Set([...below, ...ownImage.programs]) : below;
}

function programsBelow(
  imageDefinition: KnownImage | undefined,
  software: NamedImage["software"],
): ReadonlySet<string> | undefined {
  if (!software) return new Set();
  if (imageDefinition?.programs === "none") return new Set(imageDefinition.command.slice(0, 1));
  const isOfficial = software.name.startsWith(`${hub}/library/`);
  return isOfficial || imageDefinition?.programs ? installedIn(software)?.names : undefined;
}
