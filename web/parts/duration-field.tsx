// A field for a duration: a number and a unit.
import { Field } from "./field.tsx";
import { texts as all } from "../messages/components.ts";

const texts = all.durationField;

export interface Duration {
  readonly amount: string;
  readonly unit: keyof typeof units;
}

const units = { seconds: 1, minutes: 60, hours: 3600, days: 24 * 3600 };

/** Returns NaN if the text is not a number; the API then reports what it expects. */
export function secondsOf({ amount, unit }: Duration): number {
  return amount.trim() === "" ? Number.NaN : Number(amount) * units[unit];
}

interface Props {
  readonly label: string;
  readonly value: Duration;
  readonly change: (value: Duration) => void;
  readonly hint?: string;
  readonly error: string | undefined;
}

export function DurationField({ label, value, change, hint, error }: Props) {
  return (
    <Field label={label} error={error} {...(hint ? { hint } : {})}>
      {(wiring) => (
        <div class="pair">
          <input
            {...wiring}
            type="number"
            inputMode="decimal"
            min="0"
            step="any"
            value={value.amount}
            onInput={({ currentTarget }) => change({ ...value, amount: currentTarget.value })}
          />
          <select
            aria-label={texts.unit(label)}
            value={value.unit}
            onChange={({ currentTarget }) => change({ ...value, unit: unitOf(currentTarget.value) })}
          >
            {Object.keys(units).map((unit) => (
              <option key={unit}>{unit}</option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}

function unitOf(text: string): Duration["unit"] {
  return text in units ? (text as Duration["unit"]) : "hours";
}
