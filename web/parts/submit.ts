// The submission of a form: its busy state, and its errors by field.
import { useState } from "preact/hooks";
import { ControlFailure, messageOf } from "../api/control-failure.ts";

export interface Submit {
  readonly submit: (event: SubmitEvent) => void;
  readonly busy: boolean;
  /** Returns the error of a field or of anything in it: `frameOrigins.1`. */
  readonly errorOf: (field: string) => string | undefined;
  /** Returns the properties of a field's input: its value, its setter and its error. */
  readonly bind: <T>(field: string, value: T, change: (value: T) => void) => Binding<T>;
  /** The error that belongs to no field. */
  readonly failure: string;
}

interface Binding<T> {
  readonly value: T;
  readonly change: (value: T) => void;
  readonly error: string | undefined;
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
  const errorOf = (field: string) => (within(field) ? withoutField(messageOf(error), wrong) : undefined);
  return {
    submit,
    busy,
    errorOf,
    bind: (field, value, change) => ({ value, change, error: errorOf(field) }),
    failure: error === undefined || fields.some(within) ? "" : messageOf(error),
  };
}

/** Removes the field's name from the beginning of the message, because the form shows it already. */
function withoutField(message: string, field = ""): string {
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message;
}
