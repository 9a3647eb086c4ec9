// Reads from a kubeconfig what the tunnel needs: the server, its authority, and the token.
import { trimmedEnd } from "../../shared/base/trim.ts";
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";

export interface Target {
  readonly server: string;
  readonly token: string;
  /** The certificate authority in PEM. Undefined to use those that the machine trusts. */
  readonly ca: string | undefined;
  readonly insecure: boolean;
}

interface NamedEntry<T> {
  readonly name: string;
  readonly value: T;
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the file of a kubeconfig. Throws an error for the user if something is missing. */
export function readTarget(path: string, context?: string): Target {
  return targetOf(parse(readFileSync(path, "utf8")), dirname(resolve(path)), context);
}

/** Reads a parsed kubeconfig. `folder` is the base of relative paths. */
export function targetOf(config: unknown, folder: string, named?: string): Target {
  const root = fieldsOf(config);
  const current = named ?? textOf(root["current-context"]) ?? "";
  const context = find(root, "contexts", "context", current);
  const cluster = find(root, "clusters", "cluster", textOf(context["cluster"]) ?? "");
  const user = find(root, "users", "user", textOf(context["user"]) ?? "");
  const server = textOf(cluster["server"]);
  const token = textOf(user["token"]);
  if (server === undefined) throw new Error("the kubeconfig's cluster has no server");
  if (token === undefined) throw new Error("the kubeconfig's user has no token: a tunnel knows no other credentials");
  const data = textOf(cluster["certificate-authority-data"]);
  const file = textOf(cluster["certificate-authority"]);
  const fromFile = file === undefined ? undefined : readFileSync(resolve(folder, file), "utf8");
  return {
    server: trimmedEnd(server, "/"),
    token,
    ca: data === undefined ? fromFile : Buffer.from(data, "base64").toString(),
    insecure: cluster["insecure-skip-tls-verify"] === true,
  };
}

function find(root: Fields, list: string, field: string, name: string): Fields {
  const all = root[list];
  const entries = (Array.isArray(all) ? all : []).map((entry): NamedEntry<unknown> => {
    const fields = fieldsOf(entry);
    return { name: textOf(fields["name"]) ?? "", value: fields[field] };
  });
  const match = entries.find((each) => each.name === name);
  if (!match) throw new Error(`the kubeconfig has no ${field} ${JSON.stringify(name)}`);
  return fieldsOf(match.value);
}

function fieldsOf(value: unknown): Fields {
  // The fields of any object may be read.
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
