// The trial page: creates a sandbox without a key after some seconds of work in the browser, and shows it live for an hour.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SandboxWithToken } from "../../shared/contract/sandbox.ts";
import { accessWith } from "../api/access.ts";
import { messageOf } from "../api/control-failure.ts";
import { sandbarLine } from "../api/lines.ts";
import { forgetTrial, kubeconfigOf, makeTrial, trial } from "../api/trial.ts";
import { Expiry } from "../parts/age.tsx";
import { Alert } from "../parts/alert.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { LiveView } from "../view/live-view.tsx";
import { texts as all } from "../messages/account.ts";

const texts = all.trialPage;

export function TrialPage() {
  const sandbox = trial.value;
  return sandbox ? <TrialSandbox key={sandbox.id} sandbox={sandbox} /> : <Making />;
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
      <h1>{texts.title}</h1>
      <p>{texts.lead}</p>
      <Alert text={failure} />
      <button type="button" class="primary" disabled={isWorking} onClick={begin}>
        {isWorking ? texts.making : texts.make}
      </button>
      <p class="unseen" role="status">
        {isWorking ? texts.solvingChallenge : ""}
      </p>
      <CommandLine line={`${sandbarLine("trial")} > kubeconfig`} />
    </div>
  );
}

function TrialSandbox({ sandbox }: { readonly sandbox: SandboxWithToken }) {
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
              <Expiry time={expiresAt} />
            </span>
            <span>{texts.onlyThisTab}</span>
          </p>
        </div>
        <div class="actions">
          <CopyButton label={texts.copyKubeconfig} text={() => kubeconfigOf(sandbox)} file={`${name}.kubeconfig`} />
          <button type="button" class="quiet" onClick={forgetTrial}>
            {texts.another}
          </button>
        </div>
      </div>
      <CommandLine
        label={texts.try}
        line="kubectl --kubeconfig trial.kubeconfig create deployment web --image=nginx --replicas=3"
      />
      <LiveView access={access} />
    </>
  );
}
