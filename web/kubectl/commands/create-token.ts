// `kubectl create token`: requests a token of a service account.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { arrayFlag, durationFlag, stringFlag } from "../flag.ts";
import { asError } from "../errors.ts";
import { stringAt } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { writePrinter } from "../writes/dry-run.ts";
import { nameFrom } from "./creator.ts";

const boundKinds: Readonly<Record<string, string>> = { Node: "v1", Pod: "v1", Secret: "v1" };

export const createToken: Command = {
  name: "token",
  use: "SERVICE_ACCOUNT_NAME [options]",
  short: "Request a service account token",
  completes: "none",
  flags: [
    ...outputFlags,
    arrayFlag("audience", "Audience of the requested token. May be repeated."),
    durationFlag("duration", "Requested lifetime of the issued token.", { default: "0s" }),
    stringFlag("bound-object-kind", "Kind of an object to bind the token to. Supported kinds are Node, Pod, Secret."),
    stringFlag("bound-object-name", "Name of an object to bind the token to. Requires --bound-object-kind."),
    stringFlag("bound-object-uid", "UID of an object to bind the token to."),
  ],
  run: async (call) => {
    const name = nameFrom(call);
    const body = requestOf(call);
    const path = `/api/v1/namespaces/${call.namespace}/serviceaccounts/${name}/token`;
    let answer: JsonObject;
    try {
      answer = await call.cluster.json(path, { method: "POST", body });
    } catch (error) {
      throw new Error(`failed to create token: ${asError(error).message}`);
    }
    if (call.flags.changed("output")) return call.streams.out(writePrinter(call, "created", "none", true)(answer));
    const token = stringAt(answer, "status", "token");
    if (!token) throw new Error("failed to create token: no token in server response");
    call.streams.out(call.streams.keyboard ? `${token}\n` : token);
  },
};

function requestOf({ flags }: CommandCall): JsonObject {
  const durationMs = flags.durationMs("duration");
  if (durationMs < 0) throw new Error("--duration must be greater than or equal to 0");
  if (durationMs % 1000 !== 0) throw new Error("--duration cannot be expressed in units less than seconds");
  const audiences = flags.list("audience");
  if (audiences.includes("")) throw new Error("--audience must not be an empty string");
  const [kind, name, uid] = ["kind", "name", "uid"].map((field) => flags.text(`bound-object-${field}`));
  if (!kind && name) throw new Error("--bound-object-name can only be set if --bound-object-kind is provided");
  if (!kind && uid) throw new Error("--bound-object-uid can only be set if --bound-object-kind is provided");
  if (kind && !boundKinds[kind])
    throw new Error(`supported --bound-object-kind values are ${Object.keys(boundKinds).join(", ")}`);
  if (kind && !name) throw new Error("--bound-object-name is required if --bound-object-kind is provided");
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {},
    spec: {
      audiences: audiences.length > 0 ? audiences : null,
      ...(durationMs > 0 ? { expirationSeconds: durationMs / 1000 } : {}),
      boundObjectRef: kind ? { kind, apiVersion: boundKinds[kind], name, ...(uid ? { uid } : {}) } : null,
    },
  };
}
