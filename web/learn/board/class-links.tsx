// The join links of a lesson: created for a number of seats, shared with a class, and revoked.
import { useCallback, useState } from "preact/hooks";
import type { CreateClass, LessonClass } from "../../../shared/contract/hosted/class.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/classes.ts";
import { TimeLeft } from "../../parts/age.tsx";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../../parts/duration-field.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { nowMs } from "../../parts/now.ts";
import { useSubmit } from "../../parts/submit.ts";
import { CountField, TextField } from "../../parts/text-field.tsx";
import { texts as leading } from "../../messages/teaching.ts";
import { classesPath, type LessonsApi } from "./lessons-api.ts";
import { DeadlineField } from "./deadline-field.tsx";
import { ChangeClass } from "./change-class.tsx";
import { SeatsDialog } from "./seats-dialog.tsx";

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly close: () => void;
}

export function ClassLinks({ api, name, close }: Props) {
  const read = useCallback(() => api.classes(name), [api, name]);
  const { value, failure, reload } = useLoaded(read);
  const [action, act] = useState<ClassAction>();
  if (action) {
    const end = () => {
      act(undefined);
      reload();
    };
    return <ActionDialog action={action} api={api} name={name} close={end} />;
  }
  return (
    <Dialog title={texts.title} close={close}>
      <div class="made">
        <Alert text={failure} />
        {value?.classes.length === 0 && <p>{texts.none}</p>}
        {value && value.classes.length > 0 && <LinkTable classes={value.classes} act={act} />}
        <CommandLine line={curlLine("GET", classesPath(name))} />
        <footer>
          <button type="button" onClick={close}>
            {texts.done}
          </button>
          <button type="button" class="primary" onClick={() => act({ what: "make" })}>
            {texts.create}
          </button>
        </footer>
      </div>
    </Dialog>
  );
}

type ClassAction =
  | { readonly what: "make" }
  | { readonly what: "change" | "seats" | "revoke"; readonly lessonClass: LessonClass };

interface ActionProps extends Props {
  readonly action: ClassAction;
}

function ActionDialog({ action, api, name, close }: ActionProps) {
  if (action.what === "make") return <MakeLink api={api} name={name} close={close} />;
  const { what, lessonClass } = action;
  if (what === "change") return <ChangeClass api={api} name={name} lessonClass={lessonClass} close={close} />;
  if (what === "seats") return <SeatsDialog api={api} name={name} lessonClass={lessonClass} close={close} />;
  return (
    <ConfirmDialog
      title={texts.revokeAsk(lessonClass.title)}
      action={texts.revokeLink}
      doing={texts.revoking}
      line={curlLine("DELETE", `${classesPath(name)}/${lessonClass.id}`)}
      run={() => api.deleteClass(name, lessonClass.id)}
      close={close}
    >
      <p>{texts.revokeMeans}</p>
    </ConfirmDialog>
  );
}

interface TableProps {
  readonly classes: readonly LessonClass[];
  readonly act: (action: ClassAction) => void;
}

function LinkTable({ classes, act }: TableProps) {
  return (
    <ul class="class-links">
      {classes.map((lessonClass) => (
        <li key={lessonClass.id} data-name={lessonClass.title}>
          <p>
            <strong>{lessonClass.title}</strong>
          </p>
          <p class="facts">
            <span>{texts.taken(lessonClass.taken, lessonClass.seats)}</span>
            {Date.parse(lessonClass.expiresAt) > nowMs.value ? (
              <span>
                {texts.closesIn} <TimeLeft time={lessonClass.expiresAt} />
              </span>
            ) : (
              <span>{texts.closed}</span>
            )}
            {lessonClass.deadline !== undefined && (
              <span>
                {leading.endsAt} <time dateTime={lessonClass.deadline}>{localTime(lessonClass.deadline)}</time>
              </span>
            )}
            {lessonClass.paused && <span>{leading.paused}</span>}
          </p>
          <div class="pair">
            <input class="code" readOnly aria-label={`${texts.link}: ${lessonClass.title}`} value={lessonClass.url} />
            <CopyButton
              label={texts.copy}
              about={texts.copyAbout(lessonClass.title)}
              text={() => lessonClass.url}
              file="class-link.txt"
            />
            <button type="button" class="quiet" onClick={() => act({ what: "seats", lessonClass })}>
              {leading.seats}
              <span class="unseen"> {lessonClass.title}</span>
            </button>
            <button type="button" class="quiet" onClick={() => act({ what: "change", lessonClass })}>
              {leading.change}
              <span class="unseen"> {lessonClass.title}</span>
            </button>
            <button type="button" class="quiet danger" onClick={() => act({ what: "revoke", lessonClass })}>
              {texts.revoke}
              <span class="unseen"> {texts.copyAbout(lessonClass.title)}</span>
            </button>
          </div>
        </li>
      ))}
    </ul>
  );
}

function MakeLink({ api, name, close }: Props) {
  const [title, setTitle] = useState("");
  const [seats, setSeats] = useState("40");
  const [life, setLife] = useState<Duration>({ amount: "7", unit: "days" });
  const [deadline, setDeadline] = useState("");
  const [teamSize, setTeamSize] = useState("1");
  const [listedOnly, setListedOnly] = useState(false);
  const input: CreateClass = {
    title,
    seats: seats.trim() === "" ? Number.NaN : Number(seats),
    ttlSeconds: secondsOf(life),
    teamSize: teamSize.trim() === "" ? Number.NaN : Number(teamSize),
    listedOnly,
    ...(deadline === "" ? {} : { deadline: new Date(deadline).toISOString() }),
  };
  const form = useSubmit(async () => {
    await api.createClass(name, input);
    close();
  }, ["title", "seats", "ttlSeconds", "deadline", "teamSize"]);
  return (
    <FormDialog title={texts.create} close={close} form={form} action={texts.make} doing={texts.making}>
      <TextField label={texts.name} hint={texts.nameHint} {...form.bind("title", title, setTitle)} />
      <CountField label={texts.seats} hint={texts.seatsHint} {...form.bind("seats", seats, setSeats)} />
      <DurationField label={texts.ttl} hint={texts.ttlHint} {...form.bind("ttlSeconds", life, setLife)} />
      <DeadlineField {...form.bind("deadline", deadline, setDeadline)} />
      <CountField
        label={leading.teamSize}
        hint={leading.teamSizeHint}
        {...form.bind("teamSize", teamSize, setTeamSize)}
      />
      <label class="check">
        <input
          type="checkbox"
          checked={listedOnly}
          onChange={({ currentTarget }) => setListedOnly(currentTarget.checked)}
        />{" "}
        {leading.listedOnly}
      </label>
      <CommandLine line={curlLine("POST", classesPath(name), input)} />
    </FormDialog>
  );
}

function localTime(at: string): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
