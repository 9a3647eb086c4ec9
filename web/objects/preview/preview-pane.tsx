// The HTTP port of a Service or Pod: a request through the API's proxy, its answer, and the page in an origin of its own.
import { useEffect, useState } from "preact/hooks";
import { ask } from "../../api/cluster.ts";
import { messageOf } from "../../api/control-failure.ts";
import { messages } from "../../messages.ts";
import { texts } from "../../messages/preview.ts";
import { Alert } from "../../parts/alert.tsx";
import { CodeField, TextField } from "../../parts/text-field.tsx";
import { Field } from "../../parts/field.tsx";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import type { PaneProps } from "../detail/pane.ts";
import { podsFor } from "../related.ts";
import { lineOf } from "../run.ts";
import { type PreviewPort, forwardWords, headersIn, portsOf, proxyPath } from "./request.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const bodiless = new Set(["GET", "HEAD"]);
const shownCharacters = 200_000;

export function PreviewPane(props: PaneProps) {
  const { of, object } = props;
  const { cluster } = useLive();
  const ports = portsOf(of.resource, object);
  const [chosen, choose] = useState<number>();
  const port = ports.find((candidate) => candidate.port === chosen)?.port ?? ports[0]?.port;
  if (port === undefined) return <p class="empty">{texts.noPorts}</p>;
  if (of.resource === "services" && podsFor(of.resource, object, cluster).length === 0)
    return <p class="empty">{texts.noPods}</p>;
  return <Port key={port} {...props} ports={ports} port={port} choose={choose} />;
}

interface PortProps extends PaneProps {
  readonly ports: readonly PreviewPort[];
  readonly port: number;
  readonly choose: (port: number) => void;
}

interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly tookMs: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
  readonly isPage: boolean;
  /** The path of a GET whose page the frame can show. */
  readonly path: string;
}

interface Draft {
  readonly method: string;
  readonly path: string;
  readonly headers: string;
  readonly body: string;
}

function Port({ of, ports, port, choose }: PortProps) {
  const { cluster } = useLive();
  const [draft, setDraft] = useState<Draft>({ method: "GET", path: "/", headers: "", body: "" });
  const [answer, setAnswer] = useState<Answer>();
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const change = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes });
  const send = async () => {
    setBusy(true);
    setFailure("");
    try {
      setAnswer(await answerTo(cluster.access, proxyPath(of, port, draft.path), draft));
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => void send(), []);
  return (
    <div class="preview">
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {ports.length > 1 && <Choice label={texts.port} value={String(port)} among={ports} choose={choose} />}
        <Field label={texts.method}>
          {(wiring) => (
            <select
              {...wiring}
              value={draft.method}
              onChange={({ currentTarget: { value } }) => change({ method: value })}
            >
              {methods.map((method) => (
                <option key={method}>{method}</option>
              ))}
            </select>
          )}
        </Field>
        <TextField label={texts.path} value={draft.path} change={(path) => change({ path })} />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? texts.sending : texts.send}
        </button>
        <details>
          <summary>{texts.headers}</summary>
          <CodeField
            label={texts.headers}
            hint={texts.headersHint}
            rows={2}
            value={draft.headers}
            change={(headers) => change({ headers })}
          />
          {!bodiless.has(draft.method) && (
            <CodeField label={texts.body} rows={3} value={draft.body} change={(body) => change({ body })} />
          )}
        </details>
      </form>
      <Alert text={failure} />
      {answer && <AnswerView answer={answer} of={of} port={port} />}
      <h3>{texts.forward}</h3>
      <Command line={lineOf(forwardWords(of, port))} />
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly among: readonly PreviewPort[];
  readonly choose: (port: number) => void;
}

function Choice({ label, value, among, choose }: ChoiceProps) {
  return (
    <Field label={label}>
      {(wiring) => (
        <select {...wiring} value={value} onChange={({ currentTarget }) => choose(Number(currentTarget.value))}>
          {among.map(({ port, text }) => (
            <option key={port} value={String(port)}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

async function answerTo(
  access: Parameters<typeof ask>[0],
  path: string,
  { method, headers, body }: Draft,
): Promise<Answer> {
  const startedMs = performance.now();
  const init = { method, headers: headersIn(headers), ...(bodiless.has(method) ? {} : { body }) };
  const response = await ask(access, path, init);
  const text = await response.text();
  const type = response.headers.get("content-type") ?? "";
  const isPage = method === "GET" && /^(text\/html|image\/|application\/xhtml)/.test(type);
  return {
    status: response.status,
    statusText: response.statusText,
    tookMs: Math.round(performance.now() - startedMs),
    headers: [...response.headers].filter(([name]) => !ownHeaders.has(name)),
    text,
    isPage,
    path,
  };
}

/** Headers that the service adds to the answer of a container. */
const ownHeaders = new Set(["content-security-policy", "x-content-type-options", "vary"]);

type View = "page" | "text" | "headers";

interface AnswerProps {
  readonly answer: Answer;
  readonly of: PaneProps["of"];
  readonly port: number;
}

function AnswerView({ answer, of, port }: AnswerProps) {
  const { preview } = useLive();
  const canShow = answer.isPage && preview !== undefined;
  const [chosen, choose] = useState<View>("page");
  const views: readonly View[] = canShow ? ["page", "text", "headers"] : ["text", "headers"];
  const view = views.includes(chosen) ? chosen : "text";
  const names = { page: texts.page, text: texts.text, headers: texts.answerHeaders };
  const tone = answer.status < 400 ? "ok" : answer.status < 500 ? "busy" : "bad";
  return (
    <>
      <div class="facts">
        <span class={`chip ${tone}`} role="status">
          {texts.answered(answer.status, answer.statusText, answer.tookMs)}
        </span>
        <div class="choices" role="group" aria-label={texts.views}>
          {views.map((name) => (
            <button key={name} type="button" class="small" aria-pressed={name === view} onClick={() => choose(name)}>
              {names[name]}
            </button>
          ))}
        </div>
      </div>
      {view === "page" && <Page answer={answer} of={of} port={port} />}
      {view === "text" && <Body text={answer.text} />}
      {view === "headers" && (
        <pre class="log" tabIndex={0} aria-label={texts.answerHeaders}>
          {answer.headers.map(([name, value]) => `${name}: ${value}\n`).join("")}
        </pre>
      )}
    </>
  );
}

function Body({ text }: { readonly text: string }) {
  return (
    <>
      <pre class="log" tabIndex={0} aria-label={texts.text}>
        {text.slice(0, shownCharacters) || texts.empty}
      </pre>
      {text.length > shownCharacters && <p class="hint">{texts.tooLong(shownCharacters)}</p>}
    </>
  );
}

/** The page itself, which asks the server again: its scripts and images come from the server, too. */
function Page({ answer, of, port }: AnswerProps) {
  const { preview } = useLive();
  const [address, setAddress] = useState("");
  const [failure, setFailure] = useState("");
  useEffect(() => {
    preview?.({ ...of, port }).then(
      (url) => setAddress(url + answer.path.slice(answer.path.indexOf("/proxy/") + "/proxy/".length)),
      (error: unknown) => setFailure(messageOf(error)),
    );
  }, [answer]);
  if (failure) return <Alert text={failure} />;
  if (!address) return <p class="hint">{messages.common.loading}</p>;
  return <iframe class="preview-page" title={texts.frame(of.name)} src={address} sandbox="allow-scripts allow-forms" />;
}
