// What a client wants of a command or of a container's own program: upstream's PodExecOptions and PodAttachOptions, read from the query.
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import { isTrue } from "../verbs/query.ts";

export interface StreamOptions {
  readonly container: string;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
  readonly command: readonly string[];
}

export function streamOptions(query: URLSearchParams): StreamOptions {
  return {
    container: query.get("container") ?? "",
    stdin: isTrue(query.get("stdin")),
    stdout: isTrue(query.get("stdout")),
    stderr: isTrue(query.get("stderr")),
    tty: isTrue(query.get("tty")),
    command: query.getAll("command"),
  };
}

/** What admission has left of them. */
export function admittedOptions(object: KubeObject & Partial<StreamOptions>): StreamOptions {
  const { container = "", stdin = false, stdout = false, stderr = false, tty = false, command = [] } = object;
  return { container, stdin, stdout, stderr, tty, command };
}

/** As admission is shown them. */
export function optionsObject(kind: string, options: object): KubeObject {
  const given = Object.entries(options).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : Boolean(value),
  );
  return { kind, apiVersion: "v1", metadata: {}, ...Object.fromEntries(given) };
}
