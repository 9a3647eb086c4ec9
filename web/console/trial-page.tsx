// A sandbox without a key: made after some seconds of work, and looked at live, for an hour.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SandboxWithToken } from "../../shared/contract/sandbox.ts";
import { accessWith } from "../api/access.ts";
import { messageOf } from "../api/control.ts";
import { sandbarLine } from "../api/lines.ts";
import { forgetTrial, kubeconfigOf, makeTrial, trial } from "../api/trial.ts";
import { TimeLeft } from "../parts/age.tsx";
import { Alert } from "../parts/alert.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LiveView } from "../view/live-view.tsx";

export function TrialPage() {
  const made = trial.value;
  return made ? <Made key={made.id} sandbox={made} /> : <Making />;
}

function Making() {
  const stop = useRef<AbortController>(undefined);
  const [isWorking, setWorking] = useState(false);
  const [failure, setFailure] = useState("");
  useEffect(() => () => stop.current?.abort(), []);
  const begin = () => {
    stop.current = new AbortController();
    setWorking(true);
    setFailure("");
    makeTrial(stop.current.signal)
      .catch((error: unknown) => setFailure(messageOf(error)))
      .finally(() => setWorking(false));
  };
  return (
    <div class="card narrow">
      <h1>Try a Kubernetes cluster</h1>
      <p>
        A cluster of three nodes for an hour, without an account. Your browser does some seconds of work for it, so that
        nobody takes them all.
      </p>
      <Alert text={failure} />
      <button type="button" class="primary" disabled={isWorking} onClick={begin}>
        {isWorking ? "Working for it…" : "Make it"}
      </button>
      <p class="unseen" role="status">
        {isWorking ? "The browser works for the sandbox: some seconds." : ""}
      </p>
      <CommandLine line={`${sandbarLine("trial")} > kubeconfig`} />
    </div>
  );
}

function Made({ sandbox }: { readonly sandbox: SandboxWithToken }) {
  const { id, name, token, expiresAt } = sandbox;
  const access = useMemo(() => accessWith(id, () => Promise.resolve(token), { mayWrite: true }), [id, token]);
  return (
    <>
      <div class="titled page">
        <div>
          <h1>{name}</h1>
          <p class="facts">
            <code>{id}</code>
            <span>
              expires in <TimeLeft time={expiresAt} />
            </span>
            <span>It is this tab's: keep the kubeconfig to come back to it.</span>
          </p>
        </div>
        <div class="actions">
          <CopyButton label="Copy kubeconfig" text={() => kubeconfigOf(sandbox)} file={`${name}.kubeconfig`} />
          <button type="button" class="quiet" onClick={forgetTrial}>
            Another one
          </button>
        </div>
      </div>
      <CommandLine
        label="Try"
        line="kubectl --kubeconfig trial.kubeconfig create deployment web --image=nginx --replicas=3"
      />
      <LiveView access={access} />
    </>
  );
}
