// Parses the query of exec and attach: upstream's PodExecOptions and PodAttachOptions.
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

/** Returns the options after admission. */
export function admittedOptions(object: KubeObject & Partial<StreamOptions>): StreamOptions {
  const { container = "", stdin = false, stdout = false, stderr = false, tty = false, command = [] } = object;
  return { container, stdin, stdout, stderr, tty, command };
}

/** Returns the options as the object that admission receives. */
export function optionsObject(kind: string, options: object): KubeObject {
  const entries = Object.entries(options).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : Boolean(value),
  );
  return { kind, apiVersion: "v1", metadata: {}, ...Object.fromEntries(entries) };
}
