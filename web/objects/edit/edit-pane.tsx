// Edits an object: its text, a review of the server's dry run, then the change. A refusal is shown at its line.
import { useEffect, useRef, useState } from "preact/hooks";
import { type JsonObject, isObject } from "../../../shared/schema/json-values.ts";
import { type ClusterAccess, ask } from "../../api/cluster.ts";
import { connectionTo } from "../../api/connection.ts";
import { messageOf } from "../../api/control-failure.ts";
import { pathOf } from "../../kubectl/cluster/discovery.ts";
import { type Status, StatusError } from "../../kubectl/errors.ts";
import type { ClusterConnection } from "../../kubectl/surroundings.ts";
import { withoutManagedFields, toYaml } from "../../live/yaml.ts";
import { messages } from "../../messages.ts";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import type { PaneProps } from "../detail/pane.ts";
import { lineOf } from "../run.ts";
import { showOutput } from "../command-output.tsx";
import { comparable } from "./comparable.ts";
import { type Editor, openEditor, showChanges } from "./editor.ts";
import { type Problem, parseObject, problemsOf } from "./problems.ts";

type Step =
  | { readonly at: "text"; readonly problems: readonly Problem[]; readonly isStale?: boolean }
  /** The text after the server's dry run. */
  | { readonly at: "review"; readonly object: JsonObject; readonly after: string };

/** The connection of each sandbox, which caches the schemas of its cluster. */
const connections = new WeakMap<ClusterAccess, ClusterConnection>();

function connectionOf(access: ClusterAccess): ClusterConnection {
  const connection = connections.get(access) ?? connectionTo(access);
  connections.set(access, connection);
  return connection;
}

export function EditPane({ mapping, of, object, stop }: PaneProps & { readonly stop: () => void }) {
  const { cluster } = useLive();
  const [before, setBefore] = useState(() => toYaml(withoutManagedFields(object)));
  const [text, setText] = useState(before);
  const [step, setStep] = useState<Step>({ at: "text", problems: [] });
  const [busy, setBusy] = useState(false);
  const path = pathOf(mapping, of.namespace, of.name);
  const file = `${of.name}.yaml`;
  const line = lineOf(["replace", "-f", file, ...(of.namespace ? ["-n", of.namespace] : [])]);
  const attempt = async (written: string, dryRun: boolean, changed: JsonObject) => {
    setBusy(true);
    try {
      return await put(cluster.access, path, changed, dryRun);
    } catch (error) {
      const status = error instanceof StatusError ? error.status : { message: messageOf(error) };
      setStep({ at: "text", problems: problemsOf(status, written), isStale: status.code === 409 });
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const review = async (written: string) => {
    setText(written);
    const { object: changed, problems } = parseObject(written);
    if (problems) return setStep({ at: "text", problems });
    const would = await attempt(written, true, changed);
    if (would) setStep({ at: "review", object: changed, after: toYaml(comparable(would)) });
  };
  const apply = async (changed: JsonObject) => {
    const done = await attempt(text, false, changed);
    if (!done) return;
    showOutput(line, messages.edit.done);
    stop();
  };
  const takeCurrent = () => {
    const current = toYaml(withoutManagedFields(object));
    setBefore(current);
    setText(current);
    setStep({ at: "text", problems: [] });
  };
  if (step.at === "review") {
    const old = parseObject(before).object ?? {};
    return (
      <Review
        before={toYaml(comparable(old))}
        after={step.after}
        line={line}
        busy={busy}
        apply={() => void apply(step.object)}
        back={() => setStep({ at: "text", problems: [] })}
      />
    );
  }
  return (
    <Text
      key={before}
      text={text}
      step={step}
      busy={busy}
      review={(written) => void review(written)}
      stop={stop}
      takeCurrent={takeCurrent}
    />
  );
}

/** Sends the object and returns the server's result, or that of a dry run. Throws a `StatusError`. */
async function put(access: ClusterAccess, path: string, changed: JsonObject, dryRun: boolean): Promise<JsonObject> {
  const query = `fieldValidation=Strict&fieldManager=sandbar-console${dryRun ? "&dryRun=All" : ""}`;
  const answer = await ask(access, `${path}?${query}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(changed),
  });
  const body: unknown = await answer.json();
  if (!answer.ok) throw new StatusError(body as Status); // a refusal is a Status
  return isObject(body) ? body : {};
}

interface TextProps {
  readonly text: string;
  readonly step: Extract<Step, { at: "text" }>;
  readonly busy: boolean;
  readonly review: (text: string) => void;
  readonly stop: () => void;
  readonly takeCurrent: () => void;
}

function Text({ text, step, busy, review, stop, takeCurrent }: TextProps) {
  const { access } = useLive().cluster;
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const send = useRef(() => undefined as void);
  send.current = () => review(editor.current?.text() ?? text);
  useEffect(() => {
    if (!box.current) return;
    const opened = openEditor(box.current, text, {
      label: messages.edit.text,
      cluster: connectionOf(access),
      submit: () => send.current(),
    });
    editor.current = opened;
    opened.focus();
    return () => opened.dispose();
  }, []);
  useEffect(() => editor.current?.show(step.problems), [step.problems]);
  return (
    <div class="text-pane edit">
      <div class="editor" ref={box} data-editor />
      {step.problems.length > 0 && (
        <div class="notice" role="alert">
          <strong>{messages.edit.problems}</strong>
          <ul class="problems">
            {step.problems.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                <button type="button" class="quiet small" onClick={() => editor.current?.goTo(line)}>
                  {messages.edit.atLine(line)}
                </button>{" "}
                {message}
              </li>
            ))}
          </ul>
          {step.isStale && (
            <p>
              {messages.edit.changedMeanwhile}{" "}
              <button type="button" class="small" onClick={takeCurrent}>
                {messages.edit.takeCurrent}
              </button>
            </p>
          )}
        </div>
      )}
      <div class="actions">
        <button type="button" class="primary small" disabled={busy} onClick={() => send.current()}>
          {busy ? messages.edit.reviewing : messages.edit.review}
        </button>
        <button type="button" class="small" onClick={stop}>
          {messages.edit.stop}
        </button>
      </div>
    </div>
  );
}

interface ReviewProps {
  readonly before: string;
  readonly after: string;
  readonly line: string;
  readonly busy: boolean;
  readonly apply: () => void;
  readonly back: () => void;
}

function Review({ before, after, line, busy, apply, back }: ReviewProps) {
  const box = useRef<HTMLDivElement>(null);
  const isSame = before === after;
  useEffect(() => {
    if (box.current && !isSame) return showChanges(box.current, before, after, messages.edit.willBecome);
  }, [before, after]);
  return (
    <div class="text-pane edit">
      <h3>{messages.edit.willBecome}</h3>
      {isSame ? <p class="empty">{messages.edit.nothingChanged}</p> : <div class="editor" ref={box} data-diff />}
      <Command line={line} />
      <div class="actions">
        {!isSame && (
          <button type="button" class="primary small" disabled={busy} autoFocus onClick={apply}>
            {busy ? messages.edit.applying : messages.edit.apply}
          </button>
        )}
        <button type="button" class="small" onClick={back}>
          {messages.edit.back}
        </button>
      </div>
    </div>
  );
}
