// Changes a class: its title, its seats, its deadline, and who gets in.
import { useState } from "preact/hooks";
import type { LessonClass, PatchClass } from "../../../shared/contract/hosted/class.ts";
import { curlLine } from "../../api/lines.ts";
import { texts as classTexts } from "../../messages/classes.ts";
import { texts } from "../../messages/teaching.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { CountField, TextField } from "../../parts/text-field.tsx";
import { DeadlineField, inputTime } from "./deadline-field.tsx";
import { classesPath, type LessonsApi } from "./lessons-api.ts";

interface Props {
  readonly api: LessonsApi;
  readonly name: string;
  readonly lessonClass: LessonClass;
  readonly close: () => void;
}

export function ChangeClass({ api, name, lessonClass, close }: Props) {
  const [title, setTitle] = useState(lessonClass.title);
  const [seats, setSeats] = useState(String(lessonClass.seats));
  const before = inputTime(lessonClass.deadline);
  const [deadline, setDeadline] = useState(before);
  const [listedOnly, setListedOnly] = useState(lessonClass.listedOnly);
  const input: PatchClass = {
    title,
    seats: seats.trim() === "" ? Number.NaN : Number(seats),
    listedOnly,
    ...(deadline === before ? {} : { deadline: deadline === "" ? null : new Date(deadline).toISOString() }),
  };
  const form = useSubmit(async () => {
    await api.changeClass(name, lessonClass.id, input);
    close();
  }, ["title", "seats", "deadline"]);
  return (
    <FormDialog
      title={texts.changeOf(lessonClass.title)}
      close={close}
      form={form}
      action={texts.save}
      doing={texts.saving}
    >
      <TextField label={classTexts.name} {...form.bind("title", title, setTitle)} />
      <CountField label={classTexts.seats} {...form.bind("seats", seats, setSeats)} />
      <DeadlineField {...form.bind("deadline", deadline, setDeadline)} />
      <label class="check">
        <input
          type="checkbox"
          checked={listedOnly}
          onChange={({ currentTarget }) => setListedOnly(currentTarget.checked)}
        />{" "}
        {texts.listedOnly}
      </label>
      <CommandLine line={curlLine("PATCH", `${classesPath(name)}/${lessonClass.id}`, input)} />
    </FormDialog>
  );
}
