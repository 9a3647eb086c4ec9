// A meter of used and available amounts.

import { texts as all } from "../messages/components.ts";

const texts = all.meter;

interface Props {
  readonly label: string;
  readonly used: number;
  /** Null: no bound. */
  readonly limited: number | null;
  readonly text: (value: number) => string;
}

export function Meter({ label, used, limited, text }: Props) {
  if (limited === null)
    return (
      <span>
        {text(used)}
        {texts.unlimited}
      </span>
    );
  const share = limited === 0 ? 1 : Math.min(1, used / limited);
  const tone = share >= 1 && limited > 0 ? "bad" : share >= 0.8 && limited > 0 ? "busy" : "ok";
  return (
    <span class="metered">
      <span
        class={`meter ${tone}`}
        role="meter"
        aria-label={label}
        aria-valuenow={Math.min(used, limited)}
        aria-valuemin={0}
        aria-valuemax={limited}
        aria-valuetext={`${text(used)} ${texts.of} ${text(limited)}`}
      >
        <span style={{ width: `${limited === 0 ? 0 : share * 100}%` }} />
      </span>
      {text(used)} {texts.of} {text(limited)}
    </span>
  );
}
