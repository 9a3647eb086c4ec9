// Wrong solutions of the exam of security specialists.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { must } from "../../shared/base/assert.ts";
import type { Action } from "../../shared/lesson/lesson.ts";
import { readLessonFolder } from "../../shared/lesson/read-folder.ts";
import { lessonBed } from "./bed.ts";

const folder = join(import.meta.dirname, "../../exams/cks");
const manifest = "/etc/kubernetes/manifests/kube-apiserver.yaml";

function onNode(name: string, run: string): Action {
  return { node: { name, run } };
}

function patched(apiVersion: string, kind: string, namespace: string, name: string, patch: object): Action {
  return { patch: { apiVersion, kind, namespace, name, patch } } as Action;
}

const solutions: readonly (readonly [task: string, wrong: string, actions: readonly Action[]])[] = [
  ["Binaries that were changed", "all binaries are deleted", [onNode("node-2", "rm /opt/release/kube*")]],
  [
    "Secrets at rest",
    "the key is too short",
    [
      onNode(
        "node-1",
        `mkdir -p /etc/kubernetes/enc
         cat > /etc/kubernetes/enc/enc.yaml <<'END'
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources: [{resources: [secrets], providers: [{aescbc: {keys: [{name: key1, secret: c2hvcnQ=}]}}]}]
END
         sed -i 's#^\\( *\\)- kube-apiserver$#&\\n\\1- --encryption-provider-config=/etc/kubernetes/enc/enc.yaml#; s#^\\( *\\)volumeMounts:#&\\n\\1- {name: enc, mountPath: /etc/kubernetes/enc}#; s#^\\( *\\)volumes:#&\\n\\1- {name: enc, hostPath: {path: /etc/kubernetes/enc}}#' ${manifest}`,
      ),
    ],
  ],
  [
    "Who reads Secrets",
    "the policy is not mounted",
    [
      onNode(
        "node-1",
        `mkdir -p /etc/kubernetes/audit
         echo '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}' > /etc/kubernetes/audit/policy.yaml
         sed -i 's#^\\( *\\)- kube-apiserver$#&\\n\\1- --audit-policy-file=/etc/kubernetes/audit/policy.yaml\\n\\1- --audit-log-path=/var/log/kubernetes/audit.log#' ${manifest}`,
      ),
    ],
  ],
  [
    "A profile of AppArmor",
    "the profile is not loaded",
    [
      patched("apps/v1", "Deployment", "apps", "writer", {
        spec: {
          template: {
            spec: { securityContext: { appArmorProfile: { type: "Localhost", localhostProfile: "k8s-deny-write" } } },
          },
        },
      }),
    ],
  ],
  [
    "An open kubelet",
    "the kubelet is not restarted",
    [
      onNode(
        "node-3",
        "sed -i '/anonymous:/{n;s/true/false/}; s/mode: AlwaysAllow/mode: Webhook/; /readOnlyPort/d' /var/lib/kubelet/config.yaml",
      ),
    ],
  ],
  [
    "Rights of strangers",
    "the binding of auditors is deleted, too",
    [
      {
        delete: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", name: "cluster-viewers" },
      } as Action,
    ],
  ],
  [
    "A program that nobody ordered",
    "everything is scaled down",
    ["collector", "mailer", "thumbnails"].map((name) =>
      patched("apps/v1", "Deployment", "apps", name, { spec: { replicas: 0 } }),
    ),
  ],
];

test.each(solutions)("the task '%s' gives no points if %s", async (title, _, actions) => {
  const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")] as const);
  const read = readLessonFolder(new Map(files));
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  const { lesson } = read;
  const step = must(
    lesson.steps.find((candidate) => candidate.title === title),
    title,
  );
  const bed = lessonBed(lesson.manifests, { nodes: 3, images: "strict", systemPods: true });
  await bed.perform(lesson.prepare);
  bed.begin();
  bed.pass(60);
  await bed.perform(actions);
  bed.pass(90);
  const results = await bed.grade(step.checks.map(({ expression }) => expression));
  expect(results.filter(({ passed }) => passed)).toEqual([]);
});
