// One learner, watched: which checks hold, and what happens in the cluster. Whoever may help enters it from here.
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Result, Run } from "../../../shared/contract/lesson.ts";
import { type Control } from "../../api/control.ts";
import { messageOf } from "../../api/control-failure.ts";
import { viewTokens } from "../../api/own-view.ts";
import { accessWith } from "../../api/access.ts";
import { may } from "../../api/session.ts";
import { Alert } from "../../parts/alert.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { nowMs } from "../../parts/now.ts";
import { onDemand } from "../../parts/on-demand.tsx";
import { CheckList } from "../check-list.tsx";
import { LearnerHelp } from "./learner-help.tsx";
import type { LessonsApi } from "./lessons-api.ts";
import { isLive } from "./standing.ts";
import { TerminalReplay } from "./terminal-replay.tsx";
import { texts as all } from "../../messages/board.ts";

const texts = all.learnerDetail;

interface Props {
  readonly control: Control;
  readonly api: LessonsApi;
  readonly result: Result;
  readonly close: () => void;
}

const LiveView = onDemand(async () => (await import("../../view/live-view.tsx")).LiveView);

/** The interval at which a run is read again while its teacher asks to help or helps, which the learner may end at any time. */
const helpPollMs = 2_000;

export function LearnerDetail({ control, api, result, close }: Props) {
  const { lesson, run: id, learner, step, changedAt } = result;
  const [context, setContext] = useState("");
  const { clusters = [] } = result;
  const hasCluster = isLive(result, nowMs.value);
  const { sandbox } = clusters.find(({ name }) => name === context) ?? result;
  const [run, setRun] = useState<Run>();
  const [failure, setFailure] = useState("");
  const access = useMemo(
    () => accessWith(sandbox.id, viewTokens(control, sandbox.id), { mayWrite: false }),
    [control, sandbox.id],
  );
  // Runs whenever the board has loaded a change.
  useEffect(() => {
    api.run(lesson, id).then(setRun, (error: unknown) => setFailure(messageOf(error)));
  }, [api, lesson, id, changedAt]);
  const isHelping = run !== undefined && run.help.state !== "none";
  useEffect(() => {
    if (!isHelping) return undefined;
    // A failed read is repeated at the next interval.
    const read = () => api.run(lesson, id).then(setRun, () => undefined);
    const timer = setInterval(() => void (document.hidden || read()), helpPollMs);
    return () => clearInterval(timer);
  }, [api, lesson, id, isHelping]);
  return (
    <section class="panel learner-detail" aria-label={texts.watching(learner)}>
      <div class="titled">
        <h2>
          {learner}
          {texts.step} {step}
          {run && `: ${run.page.title}`}
        </h2>
        <div class="actions">
          {clusters.length > 0 && <ClusterSelect clusters={clusters} context={context} choose={setContext} />}
          {hasCluster && (
            <a class="button" href={`#/sandboxes/${sandbox.id}`}>
              {texts.openSandbox}
            </a>
          )}
          {hasCluster && may("sandboxes:connect") && (
            <CopyButton
              label={texts.copyKubeconfig}
              text={() => control.kubeconfig(sandbox.id)}
              file={`${learner}.kubeconfig`}
            />
          )}
          <button type="button" onClick={close}>
            {texts.close}
          </button>
        </div>
      </div>
      <Alert text={failure} />
      {run && hasCluster && <LearnerHelp control={control} api={api} run={run} changed={setRun} />}
      {run && (!run.exam || run.exam.report) && <CheckList run={run} number={step} />}
      <TerminalReplay control={control} api={api} lesson={lesson} run={id} sandbox={sandbox.id} isLive={hasCluster} />
      {run?.page.answer && (
        <p>
          {texts.answered} {run.page.answer}
        </p>
      )}
      {hasCluster && may("sandboxes:connect") && <LiveView key={sandbox.id} access={access} />}
    </section>
  );
}

interface SelectProps {
  readonly clusters: NonNullable<Result["clusters"]>;
  /** The name of the context; empty for the first one. */
  readonly context: string;
  readonly choose: (context: string) => void;
}

function ClusterSelect({ clusters, context, choose }: SelectProps) {
  return (
    <label class="filter">
      {texts.cluster}
      <select value={context} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        {clusters.map(({ name }, at) => (
          <option key={name} value={at === 0 ? "" : name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
