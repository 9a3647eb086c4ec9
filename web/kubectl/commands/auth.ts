// `kubectl auth`: checks the permissions of the user, and shows who the user is.
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { CommandCall, Command } from "../command.ts";
import { boolFlag, stringFlag } from "../flag.ts";
import { Exit } from "../errors.ts";
import { findResource } from "../cluster/discovery.ts";
import { splitRule, groupResourceText, mergeVerbs } from "../describe/access.ts";
import { listAt, objectAt, textOf } from "../object.ts";
import { outputFlags } from "../print/printer.ts";
import { newTabWriter, wideColumns } from "../print/tab-writer.ts";
import { allNamespacesFlag, fileFlags } from "../resources/select.ts";
import { dryRunFlag, writePrinter } from "../writes/dry-run.ts";
import { reconcile } from "./auth-reconcile.ts";

const resourceVerbs = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "use",
  "bind",
  "impersonate",
  "*",
  "approve",
  "sign",
  "escalate",
  "attest",
];
const urlVerbs = ["get", "put", "post", "head", "options", "delete", "patch", "*"];
/** Resources that are not served but can be checked. */
const nonStandard = ["users", "groups"];

export const auth: Command = {
  name: "auth",
  use: "[flags] [options]",
  short: "Inspect authorization",
  commands: [
    {
      name: "can-i",
      use: "VERB [TYPE | TYPE/NAME | NONRESOURCEURL] [options]",
      short: "Check whether an action is allowed",
      completes: "none",
      flags: [
        allNamespacesFlag,
        boolFlag("quiet", "If true, suppress output and just return the exit code.", { short: "q" }),
        stringFlag("subresource", "SubResource such as pod/log or deployment/scale"),
        boolFlag("list", "If true, prints all allowed actions."),
        boolFlag("no-headers", "If true, prints allowed actions without headers"),
      ],
      run: canI,
    },
    {
      name: "reconcile",
      use: "-f FILENAME [options]",
      short: "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
      completes: "files",
      flags: [
        ...outputFlags,
        ...fileFlags,
        dryRunFlag,
        boolFlag("remove-extra-permissions", "If true, removes extra permissions added to roles"),
        boolFlag("remove-extra-subjects", "If true, removes extra subjects added to rolebindings"),
      ],
      run: reconcile,
    },
    {
      name: "whoami",
      use: "[options]",
      short: "Experimental: Check self subject attributes",
      completes: "none",
      flags: outputFlags,
      run: whoAmI,
    },
  ],
};

async function canI(call: CommandCall): Promise<void> {
  const { args, flags, streams } = call;
  const allNamespaces = flags.bool("all-namespaces");
  if (flags.bool("list")) {
    if (args.length > 0) throw new Error("list option must be specified with no arguments");
    if (flags.bool("quiet") || allNamespaces || flags.text("subresource")) {
      throw new Error("list option can't be specified with neither quiet, all-namespaces nor subresource options");
    }
    return listAccess(call);
  }
  const [verb = "", what] = args;
  if (args.length !== 2 || what === undefined) {
    throw new Error(
      "you must specify two arguments: verb resource or verb resource/resourceName.\nSee 'kubectl auth can-i -h' for help and examples.",
    );
  }
  const spec = what.startsWith("/") ? urlAttributes(call, verb, what) : await resourceAttributes(call, verb, what);
  if (flags.bool("no-headers")) throw new Error("--no-headers cannot be set without --list specified");
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec };
  const answer = await call.cluster.json("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
    method: "POST",
    body: review,
  });
  const status = objectAt(answer, "status");
  const why = [status.reason, status.evaluationError].map(textOf).filter(Boolean);
  if (!flags.bool("quiet"))
    streams.out(status.allowed === true ? "yes\n" : `no${why.map((text) => ` - ${text}`).join("")}\n`);
  if (status.allowed !== true) throw new Exit(1);
}

function urlAttributes({ flags, streams }: CommandCall, verb: string, path: string): JsonObject {
  if (flags.text("subresource")) throw new Error("--subresource can not be used with NonResourceURL");
  if (!urlVerbs.includes(verb)) streams.err(`Warning: verb '${verb}' is not a known verb\n\n`);
  return { nonResourceAttributes: { path, verb } };
}

async function resourceAttributes(call: CommandCall, verb: string, what: string): Promise<JsonObject> {
  const { flags, streams, cluster } = call;
  const slash = what.indexOf("/");
  const type = slash < 0 ? what : what.slice(0, slash);
  const name = slash < 0 ? "" : what.slice(slash + 1);
  const mapping = type === "*" ? undefined : findResource(await cluster.discovery(), type);
  const dot = type.indexOf(".");
  if (!mapping && type !== "*" && !nonStandard.includes(type)) {
    const [plain, group] = dot < 0 ? [type, ""] : [type.slice(0, dot), type.slice(dot + 1)];
    streams.err(
      `Warning: the server doesn't have a resource type '${plain}'${group ? ` in group '${group}'` : ""}\n\n`,
    );
  }
  if (!flags.bool("all-namespaces")) {
    if (mapping && !mapping.namespaced)
      streams.err(
        `Warning: resource '${mapping.resource}' is not namespace scoped${mapping.group ? ` in group '${mapping.group}'` : ""}\n\n`,
      );
    if ((mapping ?? type) && !resourceVerbs.includes(verb))
      streams.err(`Warning: verb '${verb}' is not a known verb\n\n`);
  }
  return {
    resourceAttributes: {
      ...(mapping?.group ? { group: mapping.group } : {}),
      ...(name ? { name } : {}),
      ...(flags.bool("all-namespaces") ? {} : { namespace: call.namespace }),
      resource: mapping?.resource ?? type,
      ...(flags.text("subresource") ? { subresource: flags.text("subresource") } : {}),
      verb,
    },
  };
}

async function listAccess(call: CommandCall): Promise<void> {
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectRulesReview",
    spec: { namespace: call.namespace },
  };
  const answer = await call.cluster.json("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
    method: "POST",
    body,
  });
  const status = objectAt(answer, "status");
  if (status.incomplete === true)
    call.streams.err(`Warning: the list may be incomplete: ${textOf(status.evaluationError)}\n`);
  const rules = mergeVerbs(
    [...listAt(status, "resourceRules"), ...listAt(status, "nonResourceRules")].flatMap(splitRule),
  );
  const lines = rules.map(
    ({ resource, group, url, name, verbs }) =>
      `${groupResourceText(resource, group)}\t[${url}]\t[${name}]\t[${verbs.join(" ")}]\n`,
  );
  const head = call.flags.bool("no-headers") ? "" : "Resources\tNon-Resource URLs\tResource Names\tVerbs\n";
  call.streams.out(newTabWriter(wideColumns).align(head + lines.join("")));
}

async function whoAmI(call: CommandCall): Promise<void> {
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "SelfSubjectReview",
    metadata: {},
    status: { userInfo: {} },
  };
  const answer = await call.cluster.json("/apis/authentication.k8s.io/v1/selfsubjectreviews", { method: "POST", body });
  if (call.flags.text("output")) return call.streams.out(writePrinter(call, "", "none", true)(answer));
  const user = objectAt(answer, "status", "userInfo");
  const lines = [["ATTRIBUTE", "VALUE"]];
  if (textOf(user.username)) lines.push(["Username", textOf(user.username)]);
  if (textOf(user.uid)) lines.push(["UID", textOf(user.uid)]);
  if (Array.isArray(user.groups) && user.groups.length > 0) lines.push(["Groups", `[${user.groups.join(" ")}]`]);
  for (const key of Object.keys(objectAt(user, "extra")).sort()) {
    const values = objectAt(user, "extra")[key];
    lines.push([`Extra: ${key}`, `[${Array.isArray(values) ? values.join(" ") : ""}]`]);
  }
  call.streams.out(newTabWriter(wideColumns).align(lines.map((cells) => `${cells.join("\t")}\n`).join("")));
}
