// Builds the definition of an image from a Dockerfile. Each instruction changes the layers, or reports why it is not supported.
import {
  type GivenImageDefinition,
  imageDefinition,
  imageFileBytes,
  imageListProblems,
} from "../../shared/contract/cluster/image/image.ts";
import { issuesWithin, sentenceOf } from "../../shared/contract/issue-sentence.ts";
import { type BuildContext, cleanPath, type ContextFile, fits } from "./context.ts";
import { BuildProblem, execForm, expandVariables, type Instruction, readDockerfile, wordsOf } from "./dockerfile.ts";
import { definitionOf, ImageState, type Named } from "./layers.ts";
import { absolutePath } from "./paths.ts";
import { runCommands } from "./run.ts";

export interface BuildOptions extends Named {
  readonly buildArgs: ReadonlyMap<string, string>;
}

export interface Built {
  /** Undefined if there are problems. */
  readonly image: GivenImageDefinition | undefined;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
  /** Instructions that have no effect in a sandbox. */
  readonly notes: readonly { readonly line: number; readonly message: string }[];
}

interface Build {
  readonly layers: ImageState;
  readonly context: BuildContext;
  readonly options: BuildOptions;
  /** The variables of `ARG` and `ENV` at the current instruction. */
  readonly variables: Map<string, string>;
  note(message: string): void;
}

export function buildImage(dockerfile: string, context: BuildContext, options: BuildOptions): Built {
  const problems: { line: number; message: string }[] = [];
  const notes: { line: number; message: string }[] = [];
  const layers = new ImageState();
  const variables = new Map<string, string>();
  const attempt = (work: () => void, line: number, name: string) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof BuildProblem)) throw error;
      problems.push({
        line: Math.max(line, error.line),
        message: name === "" ? error.message : `${name}: ${error.message}`,
      });
    }
  };
  let instructions: readonly Instruction[] = [];
  attempt(() => (instructions = readDockerfile(dockerfile)), 1, "");
  for (const instruction of instructions) {
    const { line, name } = instruction;
    const note = (message: string) => void notes.push({ line, message: `${name}: ${message}` });
    attempt(() => perform(instruction, { layers, context, options, variables, note }), line, name);
  }
  if (problems.length === 0 && layers.from === "") problems.push({ line: 1, message: "there is no FROM" });
  if (problems.length > 0) return { image: undefined, problems, notes };
  const image = definitionOf(layers, options);
  const wrong = definitionProblems(image);
  return { image: wrong.length > 0 ? undefined : image, problems: wrong, notes };
}

function definitionProblems(image: GivenImageDefinition): Built["problems"] {
  const read = imageDefinition.safeParse(image, { error: sentenceOf });
  const issues = read.success ? [...imageListProblems([read.data])] : read.error.issues.flatMap(issuesWithin);
  return issues.map(({ path, message }) => ({
    line: 1,
    message: `the image's ${withoutListIndex(path).join(".") || "definition"}: ${message}`,
  }));
}

/** The definition was checked as the only entry of a list, whose index 0 would say nothing. */
function withoutListIndex(path: readonly PropertyKey[]): PropertyKey[] {
  return path.filter((key) => key !== 0);
}

type InstructionHandler = (instruction: Instruction, build: Build) => void;

const handlers: Readonly<Record<string, InstructionHandler>> = {
  FROM: from,
  ARG: argument,
  ENV: environment,
  WORKDIR: workingDir,
  USER: user,
  EXPOSE: expose,
  COPY: copy,
  ADD: add,
  RUN: run,
  CMD: ({ text }, { layers }) => void (layers.command = commandOf(text)),
  ENTRYPOINT: ({ text }, { layers }) => {
    layers.entrypoint = commandOf(text);
    // As in Docker, ENTRYPOINT resets the command, which belonged to another entry point.
    layers.command = undefined;
  },
  VOLUME: ({ line, text }, { layers, variables }) => {
    for (const folder of execForm(text) ?? wordsOf(expandVariables(text, variables)))
      layers.makeFolder(absolutePath(folder, "/", line));
  },
  HEALTHCHECK: ({ text }, { note }) => {
    if (!/^none$/i.test(text))
      note("has no effect: Kubernetes runs the probes of the pod, so give it a readinessProbe");
  },
  STOPSIGNAL: ({ line, text }) => {
    if (!/^(SIG)?TERM$|^15$/i.test(text))
      throw new BuildProblem(line, `${text} is not simulated: containers are stopped by SIGTERM`);
  },
  LABEL: () => undefined,
  MAINTAINER: () => undefined,
};

function perform(instruction: Instruction, build: Build): void {
  const { line, name } = instruction;
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (!handler) throw new BuildProblem(line, "is not supported");
  if (build.layers.from === "" && name !== "FROM" && name !== "ARG") throw new BuildProblem(line, "stands before FROM");
  handler(instruction, build);
}

function from({ line, text }: Instruction, { layers, variables }: Build): void {
  if (layers.from !== "")
    throw new BuildProblem(line, "builds of several stages are not supported: nothing is compiled");
  const [image = "", as, name] = wordsOf(expandVariables(text, variables));
  if (image === "" || (as !== undefined && (as.toUpperCase() !== "AS" || name === undefined)))
    throw new BuildProblem(line, "must name an image");
  layers.from = image;
}

function argument({ text }: Instruction, { variables, options, layers }: Build): void {
  for (const word of wordsOf(text)) {
    const at = word.indexOf("=");
    const [name, usual] = at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
    const value = options.buildArgs.get(name) ?? (usual === undefined ? undefined : expandVariables(usual, variables));
    // A variable of ENV takes precedence over an argument of the same name.
    if (value !== undefined && !layers.env.has(name)) variables.set(name, value);
  }
}

function environment({ line, text }: Instruction, { layers, variables }: Build): void {
  const pairs = /^\w+\s/.test(text) ? [text.replace(/^(\w+)\s+/, "$1=")] : wordsOf(text);
  // All values of an instruction see the variables as they were before it.
  const before = new Map([["PATH", usualPath], ...variables]);
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    if (at <= 0) throw new BuildProblem(line, `${pair} must be NAME=value`);
    const value = expandVariables(pair.slice(at + 1), before);
    layers.env.set(pair.slice(0, at), value);
    variables.set(pair.slice(0, at), value);
  }
}

const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function workingDir({ line, text }: Instruction, { layers, variables }: Build): void {
  const path = absolutePath(expandVariables(text, variables), layers.workingDirOrRoot, line);
  layers.makeFolder(path);
  layers.workingDir = path;
}

function user({ line, text }: Instruction, { layers, variables }: Build): void {
  const userText = expandVariables(text, variables);
  const owner = layers.ownerOf(userText);
  if (owner === undefined)
    throw new BuildProblem(line, `there is no user ${userText}: add it with RUN useradd, or give its number`);
  layers.user = owner;
}

function expose({ line, text }: Instruction, { layers, variables }: Build): void {
  for (const word of wordsOf(expandVariables(text, variables))) {
    const [, port, protocol = "tcp"] = /^(\d+)(?:\/(tcp|udp|sctp))?$/.exec(word.toLowerCase()) ?? [];
    if (port === undefined) throw new BuildProblem(line, `${word} must be a port such as 8080 or 53/udp`);
    layers.ports.push(protocol === "tcp" ? Number(port) : `${port}/${protocol}`);
  }
}

function commandOf(text: string): string[] {
  return execForm(text) ?? ["/bin/sh", "-c", text];
}

function add(instruction: Instruction, build: Build): void {
  const { line, text } = instruction;
  if (/(^|\s|")(https?|git|ssh):\/\/|(^|\s|")git@/.test(text))
    throw new BuildProblem(line, "nothing is downloaded: copy the file into the folder");
  if (/\.(tar|tgz|tar\.\w+)["\s]/.test(text))
    throw new BuildProblem(line, "archives are not unpacked: copy their files into the folder");
  copy(instruction, build);
}

function copy({ line, text, flags }: Instruction, { layers, context, variables }: Build): void {
  const flagValues = new Map(
    flags.map((flag) => [flag.slice(2).split("=", 1)[0] ?? "", flag.slice(flag.indexOf("=") + 1)]),
  );
  if (flagValues.has("from"))
    throw new BuildProblem(line, "builds of several stages are not supported: there is no other stage");
  const owner = flagValues.has("chown")
    ? layers.ownerOf(expandVariables(flagValues.get("chown") ?? "", variables))
    : undefined;
  if (flagValues.has("chown") && owner === undefined)
    throw new BuildProblem(
      line,
      `there is no user ${flagValues.get("chown")}: add it with RUN useradd, or give its number`,
    );
  const chmod = flagValues.get("chmod");
  if (chmod !== undefined && !/^[0-7]{3,4}$/.test(chmod))
    throw new BuildProblem(line, `--chmod=${chmod} must be octal digits such as 0755`);
  const words = execForm(text) ?? wordsOf(text);
  const paths = words.map((word) => expandVariables(word, variables));
  const [to = "", sources] = [paths.at(-1), paths.slice(0, -1)];
  if (sources.length === 0) throw new BuildProblem(line, "must name what is copied, and where to");
  const target = absolutePath(to, layers.workingDirOrRoot, line);
  const matches = sources.map((source) => matched(source, context, line));
  const isFolder = to.endsWith("/") || matches.length > 1 || (matches[0]?.length ?? 0) > 1 || layers.isFolder(target);
  for (const [match, file] of matches.flat()) {
    // COPY of a folder copies its contents, under their paths relative to the folder.
    const at =
      match.below !== undefined
        ? `${slashed(target)}${match.below}`
        : isFolder
          ? `${slashed(target)}${match.name}`
          : target;
    layers.write(at, {
      bytes: bytesOf(file, match.name, line),
      mode: chmod === undefined ? (file.isExecutable ? 0o755 : 0o644) : Number.parseInt(chmod, 8),
      ...(owner === undefined ? {} : { owner }),
    });
  }
}

function slashed(path: string): string {
  return path === "/" ? "/" : `${path}/`;
}

interface Match {
  readonly name: string;
  /** The path in a folder that is copied. */
  readonly below?: string;
}

/** Returns the files that a source of COPY matches. */
function matched(source: string, context: BuildContext, line: number): (readonly [Match, ContextFile])[] {
  const path = cleanPath(source);
  if (path.split("/").includes("..")) throw new BuildProblem(line, `${source} is outside of the folder`);
  const exactFile = context.get(path);
  if (exactFile) return [[{ name: path.slice(path.lastIndexOf("/") + 1) }, exactFile]];
  const depth = path === "" ? 0 : path.split("/").length;
  const matches = [...context].flatMap(([name, file]): (readonly [Match, ContextFile])[] => {
    if (path !== "" && !fits(path, name)) return [];
    const segments = name.split("/");
    const last = segments.at(-1) ?? "";
    return [[segments.length > depth ? { name: last, below: segments.slice(depth).join("/") } : { name: last }, file]];
  });
  if (matches.length === 0)
    throw new BuildProblem(line, `there is no ${source} in the folder, or .dockerignore names it`);
  return matches;
}

function bytesOf(file: ContextFile, name: string, line: number): Uint8Array {
  const bytes = file.read();
  if (bytes.length > imageFileBytes) throw new BuildProblem(line, `${name} has more than ${imageFileBytes} bytes`);
  return bytes;
}

function run({ line, text, flags }: Instruction, { layers, variables, note }: Build): void {
  const unsupportedFlag = flags.find((flag) => !/^--mount=type=cache(,|$)/.test(flag));
  if (unsupportedFlag !== undefined) throw new BuildProblem(line, `${unsupportedFlag} is not supported`);
  const words = execForm(text);
  runCommands(words ?? text, { layers, variables, line, note });
}
