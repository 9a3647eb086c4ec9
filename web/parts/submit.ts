// Sending a form: busy meanwhile, and afterwards what was wrong, by field.
import { useState } from "preact/hooks";
import { ControlFailure, messageOf } from "../api/control.ts";

export interface Submit {
  readonly submit: (event: SubmitEvent) => void;
  readonly busy: boolean;
  /** What is wrong with a field, or with anything in it: `frameOrigins.1`. */
  readonly errorOf: (field: string) => string | undefined;
  /** What is wrong with no field of the form. */
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

/** The message begins with the field, which the form shows already. */
function withoutField(message: string, field = ""): string {
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
}
