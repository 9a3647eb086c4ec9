// Fields for a line of text, a number, or code of several lines.
import { Field } from "./field.tsx";

interface Props {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly hint?: string;
  readonly error?: string | undefined;
}

export function TextField({ value, change, ...field }: Props) {
  return (
    <Field {...field}>
      {(wiring) => (
        <input
          {...wiring}
          autoComplete="off"
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SecretProps extends Props {
  /** The kind of secret, for the browser's password manager. */
  readonly autoComplete: "new-password" | "current-password" | "off";
  readonly autoFocus?: boolean;
}

/** A field whose text is hidden while it is typed. */
export function SecretField({ value, change, autoComplete, autoFocus, ...field }: SecretProps) {
  return (
    <Field {...field}>
      {(wiring) => (
        <input
          {...wiring}
          type="password"
          autoComplete={autoComplete}
          spellcheck={false}
          autoFocus={autoFocus}
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function CountField({ value, change, ...field }: Props) {
  return (
    <Field {...field}>
      {(wiring) => (
        <input
          {...wiring}
          type="number"
          inputMode="numeric"
          min="0"
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function CodeField({ value, change, rows, ...field }: Props & { readonly rows: number }) {
  return (
    <Field {...field}>
      {(wiring) => (
        <textarea
          {...wiring}
          class="code"
          rows={rows}
          spellcheck={false}
          value={value}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      )}
    </Field>
  );
}
