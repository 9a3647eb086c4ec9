// The empty state of a list: a line that creates the first object and can be run here.
import { useState } from "preact/hooks";
import { messages } from "../../messages.ts";
import { Alert } from "../../parts/alert.tsx";
import { useLive } from "../../view/context.ts";
import { messageOf } from "../../api/control-failure.ts";
import { Command } from "../command.tsx";
import { lineOf, runKubectl } from "../run.ts";
import { showOutput } from "../command-output.tsx";

/** The command that creates a first object, by resource. */
const first: Readonly<Record<string, readonly string[]>> = {
  pods: ["run", "web", "--image=nginx"],
  "deployments.apps": ["create", "deployment", "web", "--image=nginx", "--replicas=2"],
  services: ["expose", "deployment", "web", "--port=80"],
  "jobs.batch": ["create", "job", "hello", "--image=busybox", "--", "echo", "hello"],
  "cronjobs.batch": ["create", "cronjob", "hello", "--image=busybox", "--schedule=* * * * *", "--", "echo", "hello"],
  configmaps: ["create", "configmap", "settings", "--from-literal=colour=blue"],
  secrets: ["create", "secret", "generic", "credentials", "--from-literal=password=secret"],
  "ingresses.networking.k8s.io": ["create", "ingress", "web", "--rule=web.example.com/*=web:80"],
  "horizontalpodautoscalers.autoscaling": ["autoscale", "deployment", "web", "--min=1", "--max=5", "--cpu=80%"],
  "roles.rbac.authorization.k8s.io": ["create", "role", "reader", "--verb=get,list,watch", "--resource=pods"],
  "rolebindings.rbac.authorization.k8s.io": ["create", "rolebinding", "reader", "--role=reader", "--user=jane"],
  "poddisruptionbudgets.policy": ["create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1"],
  resourcequotas: ["create", "quota", "small", "--hard=pods=10"],
};

interface Props {
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string;
}

export function Empty({ kind, resource, namespace }: Props) {
  const { cluster } = useLive();
  const [failure, setFailure] = useState("");
  const words = first[resource];
  const [busy, setBusy] = useState(false);
  if (!words || !cluster.access.mayWrite) return <p class="empty">{messages.list.none(kind)}</p>;
  const within = namespace ? ["-n", namespace] : [];
  const dashes = words.indexOf("--");
  const line = dashes < 0 ? [...words, ...within] : [...words.slice(0, dashes), ...within, ...words.slice(dashes)];
  const run = async () => {
    setBusy(true);
    try {
      const { code, out, err } = await runKubectl(cluster.access, line);
      setFailure(code === 0 ? "" : err);
      if (code === 0) showOutput(lineOf(line), out + err);
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="empty teaching">
      <p>
        {messages.list.none(kind)} {messages.list.makesFirst}
      </p>
      <Command line={lineOf(line)} />
      <button type="button" class="primary" disabled={busy} onClick={() => void run()}>
        {messages.list.run}
      </button>
      <Alert text={failure} />
    </div>
  );
}
