// The cluster beside a lesson's page: terminals, its live view, and access with the learner's own kubectl, as the tabs of a dock.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { OwnAccess, Run } from "../../shared/contract/lesson.ts";
import { accessWith } from "../api/access.ts";
import { messageOf } from "../api/control-failure.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { Loading } from "../parts/loading.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { SaveButton } from "../parts/save-button.tsx";
import { ClusterDock, type OwnCluster } from "./cluster-dock.tsx";
import type { LearnerApi } from "./learner-api.ts";
import type { TerminalsListener } from "./page-terminals.ts";
import { messages } from "../messages/learn.ts";

/** The API of a learner's page, or of the page of a shared state. */
type CopyApi = Pick<LearnerApi, "access" | "record">;
type CopyRun = Pick<Run, "sandbox" | "lesson" | "run" | "version">;

interface Props {
  readonly api: CopyApi;
  readonly run: CopyRun;
  readonly onTerminalsChange: TerminalsListener;
  /** Called after each line that was run in a terminal. */
  readonly onCommand: () => void;
  /** The context of the cluster that the live view shows, if there are several. */
  readonly shownContext?: string | undefined;
}

const LiveView = onDemand(async () => (await import("../view/live-view.tsx")).LiveView);

export function Panes({ api, run, onTerminalsChange, onCommand, shownContext }: Props) {
  const [access, setAccess] = useState<OwnAccess>();
  const [failure, setFailure] = useState("");
  const [user, setUser] = useState("");
  useEffect(() => {
    api.access().then(setAccess, (error: unknown) => setFailure(messageOf(error)));
    // Another version of the lesson may have other users.
  }, [api, run.version]);
  const token = (access?.tokens.find((userToken) => userToken.user === user) ?? access?.tokens[0])?.token ?? "";
  const clusters = useMemo(() => clustersOf(access, user, run), [access, user, run.sandbox.id, run.lesson]);
  const shownCluster = clusters.find(({ name }) => name === shownContext) ?? clusters[0];
  return (
    <section class="panes" aria-label={messages.panes}>
      {access && access.tokens.length > 1 && (
        <div class="bar">
          <label class="filter">
            {messages.workAs}
            <select value={user} onChange={({ currentTarget }) => setUser(currentTarget.value)}>
              {access.tokens.map((userToken) => (
                <option key={userToken.user} value={userToken.user}>
                  {userToken.user}
                </option>
              ))}
            </select>
          </label>
        </div>
      )}
      {failure && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
      {!access && failure === "" && <Loading rows={6} />}
      {token !== "" && access && (
        <ClusterDock
          key={token}
          api={api}
          clusters={clusters}
          storageKey={run.run}
          onTerminalsChange={onTerminalsChange}
          onCommand={onCommand}
          live={shownCluster && <LiveView key={shownCluster.name} access={shownCluster.access} />}
          kubectl={<OwnKubectl access={access} user={user} lesson={run.lesson} />}
        />
      )}
    </section>
  );
}

/** Returns the clusters of a run, the first one first, as a user reaches them. */
function clustersOf(access: OwnAccess | undefined, user: string, { sandbox, lesson }: CopyRun): readonly OwnCluster[] {
  if (!access) return [];
  const all = access.clusters ?? [{ name: lesson, sandbox, tokens: access.tokens }];
  return all.map(({ name, sandbox: { id }, tokens }) => {
    const token = (tokens.find((userToken) => userToken.user === user) ?? tokens[0])?.token ?? "";
    return { name, access: accessWith(id, () => Promise.resolve(token), { mayWrite: true }) };
  });
}

interface KubectlProps {
  readonly access: OwnAccess;
  readonly user: string;
  readonly lesson: string;
}

function OwnKubectl({ access, user, lesson }: KubectlProps) {
  const config = (access.tokens.find((userToken) => userToken.user === user) ?? access.tokens[0])?.kubeconfig ?? "";
  const file = `${lesson}.kubeconfig`;
  const line = `kubectl --kubeconfig ${file} get pods`;
  return (
    <div class="panel own-kubectl">
      <p>{messages.kubeconfigSaved}</p>
      <pre tabIndex={0} aria-label={messages.listing}>
        <code>{line}</code>
      </pre>
      <div class="actions">
        <CopyButton label={messages.copyConfig} text={() => config} file={file} class="primary" />
        <SaveButton label={messages.saveConfig} text={() => config} file={file} />
      </div>
    </div>
  );
}
