// The submission of a form: its busy state, and its errors by field.
import { useState } from "preact/hooks";
import { ControlFailure, messageOf } from "../api/control.ts";

export interface Submit {
  readonly submit: (event: SubmitEvent) => void;
  readonly busy: boolean;
  /** Returns the error of a field or of anything in it: `frameOrigins.1`. */
  readonly errorOf: (field: string) => string | undefined;
  /** The error that belongs to no field. */
  readonly failure: string;
}

export function useSubmit(send: () => Promise<void>, fields: readonly string[]): Submit {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    send()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  const wrong = error instanceof ControlFailure ? error.field : undefined;
  const within = (field: string) => wrong !== undefined && (wrong === field || wrong.startsWith(`${field}.`));
  return {
    submit,
    busy,
    errorOf: (field) => (within(field) ? withoutField(messageOf(error), wrong) : undefined),
    failure: error === undefined || fields.some(within) ? "" : messageOf(error),
  };
}

/** Removes the field's name from the beginning of the message, because the form shows it already. */
function withoutField(message: string, field = ""): string {
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
}
