// The seats of a class: reserved for e-mail addresses, each with a link of its own that the teacher sends.
import { useCallback, useState } from "preact/hooks";
import type { LessonClass, SeatList } from "../../../shared/contract/hosted/class.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/teaching.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { useSubmit } from "../../parts/submit.ts";
import { CodeField } from "../../parts/text-field.tsx";
import { classesPath, type LessonsApi } from "./lessons-api.ts";

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly lessonClass: LessonClass;
  readonly close: () => void;
}

export function SeatsDialog({ api, name, lessonClass: { id, title }, close }: Props) {
  const read = useCallback(() => api.seats(name, id), [api, name, id]);
  const { value, failure, after } = useLoaded(read);
  const [text, setText] = useState("");
  const emails = text.split(/[\s,;]+/).filter((email) => email !== "");
  const form = useSubmit(async () => {
    const reserved = api.reserveSeats(name, id, { emails });
    await reserved;
    after(reserved);
    setText("");
  }, ["emails"]);
  return (
    <FormDialog title={texts.seatsOf(title)} close={close} form={form} action={texts.reserve} doing={texts.reserving}>
      <Alert text={failure} />
      {value && <Seats seats={value.seats} lesson={name} />}
      <CodeField
        label={texts.emails}
        hint={texts.emailsHint}
        rows={4}
        value={text}
        change={setText}
        error={form.errorOf("emails")}
      />
      <CommandLine line={curlLine("POST", `${classesPath(name)}/${id}/seats`, { emails })} />
    </FormDialog>
  );
}

function Seats({ seats, lesson }: { readonly seats: SeatList["seats"]; readonly lesson: string }) {
  if (seats.length === 0) return <p>{texts.noSeats}</p>;
  const all = () => seats.map(({ name, email, url }) => `${email || name}\t${url}\n`).join("");
  return (
    <>
      <div class="scroll seats" role="region" tabIndex={0} aria-label={texts.seats}>
        <table class="links">
          <tbody>
            {seats.map(({ id, name, email, team, url }) => (
              <tr key={id} data-seat={email || name}>
                <th scope="row">{email || name}</th>
                <td>{email !== "" && name !== email ? name : team}</td>
                <td class="actions">
                  <CopyButton
                    class="quiet"
                    label={texts.copyLink}
                    about={email || name}
                    text={() => url}
                    file={`${email || name}.txt`}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <CopyButton label={texts.copySeats} text={all} file={`${lesson}-seats.txt`} />
    </>
  );
}
