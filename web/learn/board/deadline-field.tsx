// The field of a deadline, in the time zone of the browser.
import { texts } from "../../messages/teaching.ts";
import { Field } from "../../parts/field.tsx";

interface Props {
  readonly value: string;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

export function DeadlineField({ value, change, error }: Props) {
  return (
    <Field label={texts.deadline} hint={texts.deadlineHint} error={error}>
      {(wiring) => (
        <input
          {...wiring}
          type="datetime-local"
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Returns a time as the field shows it; empty for none. */
export function inputTime(at: string | undefined): string {
  if (at === undefined) return "";
  const local = new Date(Date.parse(at) - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
