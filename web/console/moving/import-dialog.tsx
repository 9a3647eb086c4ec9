// The dialog that creates a sandbox from a file. It shows how much is sent, and afterwards what could not be imported.
import { useEffect, useRef, useState } from "preact/hooks";
import type { SandboxWithToken } from "../../../shared/contract/sandbox.ts";
import { type KubernetesVersion, newestVersion } from "../../../shared/k8s/settings/release.ts";
import { type Control } from "../../api/control.ts";
import { ControlFailure } from "../../api/control-failure.ts";
import { gunzipText } from "../../api/line-texts.ts";
import { option, sandbarLine } from "../../api/lines.ts";
import { texts as all } from "../../messages/moving.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../../parts/duration-field.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { Meter } from "../../parts/meter.tsx";
import { bytesText } from "../../parts/numbers.ts";
import { useSubmit } from "../../parts/submit.ts";
import { CountField, TextField } from "../../parts/text-field.tsx";
import { VersionField } from "../version-field.tsx";
import { FileField } from "./file-field.tsx";
import { type ImportInput, importRequest, isGzipped, isState, mostBytes, nameOf } from "./import-file.ts";
import { ImportProblems } from "./import-problems.tsx";

const texts = all.importDialog;

interface Props {
  readonly control: Control;
  readonly close: () => void;
  readonly created: (sandbox: SandboxWithToken) => void;
}

export function ImportDialog({ control, close, created }: Props) {
  const [sandbox, setSandbox] = useState<SandboxWithToken>();
  const title = sandbox ? texts.doneTitle(sandbox.name) : texts.title;
  return (
    <Dialog title={title} close={sandbox ? () => created(sandbox) : close}>
      {sandbox ? (
        <ImportProblems sandbox={sandbox} open={() => created(sandbox)} />
      ) : (
        <ImportForm
          control={control}
          close={close}
          imported={(imported) => (imported.notImported?.length ? setSandbox(imported) : created(imported))}
        />
      )}
    </Dialog>
  );
}

interface FormProps extends Omit<Props, "created"> {
  readonly imported: (sandbox: SandboxWithToken) => void;
}

function ImportForm({ control, close, imported }: FormProps) {
  const [file, setFile] = useState<File>();
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<Duration>({ amount: "24", unit: "hours" });
  const [nodes, setNodes] = useState("");
  const [version, setVersion] = useState<KubernetesVersion>(newestVersion);
  const [sentBytes, setSent] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const hasState = file !== undefined && isState(file);
  const { submit, bind, busy, failure } = useSubmit(async () => {
    setSent(0);
    const request = importRequest(requireFile(file), input);
    const answer = await control.upload({ ...request, signal: stop.current.signal, progress: setSent });
    // The response conforms to the contract of the API.
    imported((await answer.json()) as SandboxWithToken);
  }, ["file", "name", "ttlSeconds", "nodes", "version"]);
  const choose = (chosen: File | undefined) => {
    if (!chosen) return;
    setFile(chosen);
    if (name === "" || (file && name === nameOf(file))) setName(nameOf(chosen));
  };
  const input = { name, ttlSeconds: secondsOf(lifetime), nodes, version };
  return (
    <form noValidate onSubmit={submit}>
      <FileField label={texts.file} hint={texts.fileHint(bytesText(mostBytes))} {...bind("file", file, choose)} />
      <div class="row">
        <TextField label={texts.name} hint={texts.optional} {...bind("name", name, setName)} />
        <DurationField label={texts.livesFor} {...bind("ttlSeconds", lifetime, setLifetime)} />
      </div>
      {hasState ? (
        <p class="hint">{texts.stateHint}</p>
      ) : (
        <div class="row">
          <CountField label={texts.nodes} hint={texts.nodesHint} {...bind("nodes", nodes, setNodes)} />
          <VersionField label={texts.version} {...bind("version", version, setVersion)} />
        </div>
      )}
      <CommandLine line={lineOf(file, input)} />
      {busy && file && <Progress sentBytes={sentBytes} allBytes={file.size} />}
      <FormEnd failure={failure} close={close} busy={busy} action={texts.importIt} doing={texts.importing} />
    </form>
  );
}

/** The CLI reads no gzipped files of objects. */
function lineOf(file: File | undefined, { name, ttlSeconds, nodes, version }: ImportInput): string {
  const named = [...option("name", name), ...(Number.isNaN(ttlSeconds) ? [] : ["--ttl", `${ttlSeconds}s`])];
  if (file && isState(file)) return sandbarLine("create", ...named, "--state", file.name);
  const sized = [...option("nodes", nodes), ...option("kubernetes-version", version)];
  const lineFor = (path: string) => sandbarLine("create", ...named, ...sized, "--import", path);
  if (file && isGzipped(file)) return gunzipText(file.name, lineFor("-"));
  return lineFor(file?.name ?? "cluster.yaml");
}

/** Returns the file, or throws as the API would if there is none or it is too large. */
function requireFile(file: File | undefined): File {
  const message =
    file === undefined
      ? texts.noFile
      : file.size > mostBytes
        ? texts.tooLarge(bytesText(file.size), bytesText(mostBytes))
        : "";
  if (!file || message) throw new ControlFailure(400, { code: "invalid", field: "file", message });
  return file;
}

function Progress({ sentBytes, allBytes }: { readonly sentBytes: number; readonly allBytes: number }) {
  const isSent = sentBytes >= allBytes;
  return (
    <>
      {!isSent && <Meter label={texts.progress} used={sentBytes} limited={allBytes} text={bytesText} />}
      <p role="status">{isSent && texts.applying}</p>
    </>
  );
}
