// `kubectl certificate`: approves and denies certificate signing requests.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { CommandCall, Command } from "../command.ts";
import { boolFlag } from "../flag.ts";
import { helpOf } from "../help.ts";
import { pathOf } from "../cluster/discovery.ts";
import { ensure, listAt, nameOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { fileFlags, select } from "../resources/select.ts";
import { writePrinter } from "../writes/dry-run.ts";

function decision(name: "approve" | "deny", type: "Approved" | "Denied", operation: string): Command {
  return {
    name,
    use: "(-f FILENAME | NAME) [options]",
    short: `${name === "approve" ? "Approve" : "Deny"} a certificate signing request`,
    completes: "none",
    flags: [...outputFlags, ...fileFlags, boolFlag("force", "Update the CSR even if it is already decided.")],
    run: async (call) => {
      const { args, flags, streams } = call;
      if (args.length === 0 && flags.list("filename").length === 0 && !flags.text("kustomize")) {
        throw new Error("one or more CSRs must be specified as <name> or -f <filename>");
      }
      const print = writePrinter(call, operation);
      const { infos } = await select(call, { args: args.map((name) => `certificatesigningrequests/${name}`) });
      for (const { mapping, name: of, object } of infos) {
        const decided = decide(call, object, type);
        const after = decided
          ? await call.cluster.json(pathOf(mapping, "", of, "approval"), { method: "PUT", body: decided })
          : object;
        streams.out(print(after));
      }
      if (infos.length === 0) streams.out("No resources found\n");
    },
  };
}

/** Returns the changed object, or undefined if the request already has this decision. Throws if it has the opposite one. */
function decide({ flags, surroundings, path }: CommandCall, object: JsonObject, type: string): JsonObject | undefined {
  const conditions = listAt(object, "status", "conditions");
  const opposite = type === "Approved" ? "Denied" : "Approved";
  if (conditions.some((condition) => condition.type === opposite))
    throw new Error(`certificate signing request ${JSON.stringify(nameOf(object))} is already ${opposite}`);
  if (conditions.some((condition) => condition.type === type) && !flags.bool("force")) return undefined;
  const verb = type === "Approved" ? "approve" : "deny";
  const now = rfc3339(surroundings.clock.nowMs());
  const condition = {
    type,
    status: "True",
    reason: `Kubectl${type === "Approved" ? "Approve" : "Deny"}`,
    message: `This CSR was ${type.toLowerCase()} by ${path.replace(/ (approve|deny)$/, "")} ${verb}.`,
    lastUpdateTime: now,
  };
  ensure(object, "status").conditions = [...conditions.filter((condition) => condition.type !== type), condition];
  return object;
}

export const certificate: Command = {
  name: "certificate",
  use: "SUBCOMMAND [options]",
  short: "Modify certificate resources",
  run: ({ command, path, streams }) => streams.out(helpOf(command, path)),
  commands: [decision("approve", "Approved", "approved"), decision("deny", "Denied", "denied")],
};
