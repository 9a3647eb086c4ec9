// A field with a choice of values.
import { Field } from "./field.tsx";

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly change: (value: string) => void;
}

export function ChoiceField({ value, choices, change, ...field }: Props) {
  return (
    <Field {...field}>
      {(wiring) => (
        <select {...wiring} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {choices.map(([choice, text]) => (
            <option key={choice} value={choice}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
