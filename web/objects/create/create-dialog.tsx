// Creates objects from YAML: the text with problems at their lines, the changes of a dry run, and the change itself.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../../api/cluster.ts";
import { connectionTo } from "../../api/connection.ts";
import { messageOf } from "../../api/control-failure.ts";
import { findKind, type Mapping } from "../../kubectl/cluster/discovery.ts";
import { nameOf, namespaceOf, stringAt } from "../../kubectl/object.ts";
import type { JsonObject } from "../../../shared/schema/json-values.ts";
import type { ClusterState } from "../../live/cluster-state.ts";
import { withoutManagedFields, toYaml } from "../../live/yaml.ts";
import { messages } from "../../messages.ts";
import { texts } from "../../messages/create.ts";
import { texts as formTexts } from "../../messages/forms.ts";
import { Alert } from "../../parts/alert.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { KindBadge } from "../../parts/kind-badge.tsx";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import { comparable } from "../edit/comparable.ts";
import { type Editor, openEditor, showChanges } from "../edit/editor.ts";
import type { Problem } from "../edit/problems.ts";
import { lineOf } from "../run.ts";
import { showOutput } from "../command-output.tsx";
import { createText, textOfFiles } from "./create-text.ts";
import { FormPane, useDraft } from "./form-pane.tsx";
import { applyManifest, problemsAt, readManifests, type Tried, tryManifests } from "./manifests.ts";

/** The time within which a second Escape closes the dialog. */
const pairMs = 2000;
const establishAttempts = 20;
const establishMs = 250;

const example = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports:
        - containerPort: 80
---
apiVersion: v1
kind: Service
metadata:
  name: web
spec:
  selector:
    app: web
  ports:
  - port: 80
`;

export function CreateDialog({ text: initial }: { readonly text: string }) {
  const { text, setText, problems, tried, conflict, busy, failure, line, check, apply, back } = useManifests(initial);
  const [way, choose] = useState<"yaml" | "form">("yaml");
  const [draft, setDraft] = useDraft();
  return (
    <Dialog title={texts.title} class="wide" close={closeDialog}>
      {tried ? (
        <Review tried={tried} line={line} busy={busy} failure={failure} apply={() => void apply(tried)} back={back} />
      ) : way === "form" ? (
        <>
          <Ways way={way} choose={choose} />
          <FormPane
            draft={draft}
            change={setDraft}
            problems={problems}
            failure={failure}
            busy={busy}
            check={(yaml) => void check(yaml, false)}
            takeYaml={(yaml) => {
              setText(yaml);
              choose("yaml");
            }}
          />
        </>
      ) : (
        <>
          <Ways way={way} choose={choose} />
          <Text
            text={text}
            problems={problems}
            busy={busy}
            failure={failure}
            isConflict={conflict}
            check={(written, forces) => void check(written, forces)}
          />
        </>
      )}
    </Dialog>
  );
}

interface WaysProps {
  readonly way: "yaml" | "form";
  readonly choose: (way: "yaml" | "form") => void;
}

function Ways({ way, choose }: WaysProps) {
  const names = { yaml: formTexts.byYaml, form: formTexts.byForm };
  return (
    <div class="choices" role="group" aria-label={formTexts.ways}>
      {(["yaml", "form"] as const).map((each) => (
        <button key={each} type="button" class="small" aria-pressed={each === way} onClick={() => choose(each)}>
          {names[each]}
        </button>
      ))}
    </div>
  );
}

function closeDialog(): void {
  createText.value = undefined;
}

/** Holds the steps of a creation: the text, its problems, the result of the dry run, and the application. */
function useManifests(initial: string) {
  const { cluster, namespace } = useLive();
  const [text, setText] = useState(initial);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const [tried, setTried] = useState<readonly Tried[]>();
  const [conflict, setConflict] = useState(false);
  const [isForced, setForced] = useState(false);
  const { busy, failure, during } = useWork();
  const within = namespace.value || "default";
  const request = (path: string, init?: RequestInit) => ask(cluster.access, path, init);
  const check = (written: string, forces: boolean) =>
    during(async () => {
      setText(written);
      setForced(forces);
      setConflict(false);
      const read = readManifests(written);
      if (read.problems.length > 0) return setProblems(read.problems);
      if (!cluster.served.value) await cluster.reloadServed();
      const served = cluster.served.value;
      if (!served) throw new Error(messages.common.loading);
      const result = await tryManifests(read, { request, served, namespace: within, isForced: forces });
      setProblems(result.problems);
      setConflict(result.isConflict);
      if (result.problems.length === 0) setTried(result.tried);
    });
  const apply = (all: readonly Tried[]) =>
    during(async () => {
      for (const { manifest, mapping } of all) {
        try {
          const target = mapping ?? (await waitForMapping(cluster, manifest.object));
          await applyManifest(manifest, target, { request, namespace: within, isForced, dryRun: false });
        } catch (error) {
          setTried(undefined);
          return setProblems(problemsAt(manifest, error));
        }
      }
      showOutput(line, texts.done(all.length));
      closeDialog();
    });
  const line = lineOf([
    "apply",
    "--server-side",
    "-f",
    "manifests.yaml",
    "-n",
    within,
    ...(isForced ? ["--force-conflicts"] : []),
  ]);
  return {
    text,
    setText,
    problems,
    tried,
    conflict,
    busy,
    failure,
    line,
    check,
    apply,
    back: () => setTried(undefined),
  };
}

/** Tracks whether work is under way, and how it failed last. */
function useWork() {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const during = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure("");
    try {
      await work();
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, during };
}

/** Waits for a custom kind whose definition was just applied: the cluster serves the kind once it is established. */
async function waitForMapping(cluster: ClusterState, object: JsonObject): Promise<Mapping> {
  const [kind, apiVersion] = [stringAt(object, "kind"), stringAt(object, "apiVersion")];
  for (let attempt = 0; attempt < establishAttempts; attempt++) {
    await cluster.reloadServed();
    const mapping = cluster.served.value && findKind(cluster.served.value, apiVersion, kind);
    if (mapping) return mapping;
    await new Promise((done) => void setTimeout(done, establishMs));
  }
  throw new Error(texts.notServed(kind, apiVersion));
}

interface TextProps {
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly busy: boolean;
  readonly failure: string;
  /** Reports whether the text can be applied by forcing conflicts. */
  readonly isConflict: boolean;
  readonly check: (text: string, isForced: boolean) => void;
}

function Text({ text, problems, busy, failure, isConflict, check }: TextProps) {
  const { access } = useLive().cluster;
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const [refused, setRefused] = useState("");
  const escapedAtMs = useRef(Number.NEGATIVE_INFINITY);
  /** The first Escape lets Tab leave the editor; only a second one closes the dialog. */
  const keepOpen = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.timeStamp - escapedAtMs.current < pairMs) return;
    escapedAtMs.current = event.timeStamp;
    event.preventDefault();
  };
  const send = (isForced = false) => check(editor.current?.text() ?? text, isForced);
  useEffect(() => {
    if (!box.current) return undefined;
    const opened = openEditor(box.current, text, {
      label: texts.text,
      cluster: connectionTo(access),
      submit: () => send(),
    });
    editor.current = opened;
    opened.focus();
    return () => opened.dispose();
  }, []);
  useEffect(() => editor.current?.show(problems), [problems]);
  const add = (chosen: Iterable<File>) => {
    textOfFiles(chosen).then(
      (read) => {
        const before = editor.current?.text().trim() ?? "";
        editor.current?.replace(before === "" ? `${read}\n` : `${before}\n---\n${read}\n`);
        setRefused("");
      },
      (error: unknown) => setRefused(messageOf(error)),
    );
  };
  return (
    <div
      class="text-pane edit create"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        if (event.dataTransfer) add(event.dataTransfer.files);
      }}
    >
      <p class="hint">{texts.lead}</p>
      <div class="editor" ref={box} onKeyDown={keepOpen} data-editor />
      <Problems problems={problems} goTo={(line) => editor.current?.goTo(line)} />
      <Alert text={refused || failure} />
      <div class="actions">
        <button type="button" class="primary" disabled={busy} onClick={() => send()}>
          {busy ? texts.checking : texts.check}
        </button>
        {isConflict && (
          <button type="button" disabled={busy} onClick={() => send(true)}>
            {texts.takeOver}
          </button>
        )}
        <ChooseFiles add={add} />
        <button type="button" class="quiet" onClick={() => editor.current?.replace(example)}>
          {texts.example}
        </button>
      </div>
    </div>
  );
}

function ChooseFiles({ add }: { readonly add: (files: Iterable<File>) => void }) {
  const files = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" onClick={() => files.current?.click()}>
        {texts.chooseFiles}
      </button>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        accept=".yaml,.yml,.json"
        aria-label={texts.chooseFiles}
        onChange={({ currentTarget }) => add(currentTarget.files ?? [])}
      />
    </>
  );
}

interface ProblemsProps {
  readonly problems: readonly Problem[];
  readonly goTo: (line: number) => void;
}

function Problems({ problems, goTo }: ProblemsProps) {
  if (problems.length === 0) return null;
  return (
    <div class="notice" role="alert">
      <strong>{texts.problems}</strong>
      <ul class="problems">
        {problems.map(({ line, message }) => (
          <li key={`${line} ${message}`}>
            <button type="button" class="quiet small" onClick={() => goTo(line)}>
              {messages.edit.atLine(line)}
            </button>{" "}
            {message}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface ReviewProps {
  readonly tried: readonly Tried[];
  readonly line: string;
  readonly busy: boolean;
  readonly failure: string;
  readonly apply: () => void;
  readonly back: () => void;
}

function Review({ tried, line, busy, failure, apply, back }: ReviewProps) {
  const box = useRef<HTMLDivElement>(null);
  const results = tried.map((trialResult) => ({ ...trialResult, ...textsOf(trialResult) }));
  const isSame = results.every(({ outcome }) => outcome === "unchanged");
  useEffect(() => {
    if (!box.current || isSame) return undefined;
    const joined = (side: "old" | "next") => results.map((result) => result[side]).join("---\n");
    return showChanges(box.current, joined("old"), joined("next"), texts.changes);
  }, []);
  return (
    <div class="text-pane edit create">
      <ul class="outcomes" aria-label={texts.changes}>
        {results.map(({ manifest: { object }, outcome }, place) => (
          <li key={place}>
            <KindBadge kind={stringAt(object, "kind")} /> <strong>{nameOf(object)}</strong>{" "}
            <small class="within">{namespaceOf(object)}</small> <span class="muted">{texts[outcome]}</span>
          </li>
        ))}
      </ul>
      {isSame ? <p class="empty">{texts.nothing}</p> : <div class="editor" ref={box} data-diff />}
      <Command line={line} />
      <Alert text={failure} />
      <div class="actions">
        {!isSame && (
          <button type="button" class="primary" disabled={busy} autoFocus onClick={apply}>
            {busy ? texts.applying : texts.apply}
          </button>
        )}
        <button type="button" onClick={back}>
          {texts.back}
        </button>
      </div>
    </div>
  );
}

interface Compared {
  readonly old: string;
  readonly next: string;
  readonly outcome: "created" | "configured" | "unchanged" | "later";
}

function textsOf({ manifest, before, after }: Tried): Compared {
  if (!after) return { old: "", next: toYaml(withoutManagedFields(manifest.object)), outcome: "later" };
  const old = before ? toYaml(comparable(before)) : "";
  const next = toYaml(comparable(after));
  return { old, next, outcome: before ? (old === next ? "unchanged" : "configured") : "created" };
}
