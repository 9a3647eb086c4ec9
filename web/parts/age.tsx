// How long ago, or how long still: texts that follow the clock by themselves.
import { useComputed } from "@preact/signals";
import { humanDuration, parseTime } from "../../shared/k8s/time.ts";
import { messages } from "../messages.ts";
import { nowMs, shownNowMs } from "./now.ts";

const texts = messages.sandbox;

interface Props {
  readonly time: string | null | undefined;
  /** True if the time is the service's and not a sandbox's. */
  readonly usesServiceClock?: boolean;
}

export function Age({ time, usesServiceClock: usesServiceClock = false }: Props) {
  if (!time) return null;
  return <Ticking time={time} sign={1} isServices={usesServiceClock} key={time} />;
}

/** `expired` from then on. */
export function TimeLeft({ time }: Props) {
  if (!time) return null;
  return <Ticking time={time} sign={-1} isServices key={time} />;
}

/** `expires in 4d3h`, and `expired 5m ago` from then on. */
export function Expiry({ time }: { readonly time: string }) {
  const isOver = useComputed(() => nowMs.value >= parseTime(time));
  return isOver.value ? (
    <>
      {texts.expired} <Age time={time} usesServiceClock /> {texts.ago}
    </>
  ) : (
    <>
      {texts.expiresIn} <TimeLeft time={time} />
    </>
  );
}

function Ticking({ time, sign, isServices }: { time: string; sign: 1 | -1; isServices: boolean }) {
  const text = useComputed(() => {
    const ms = sign * ((isServices ? nowMs : shownNowMs).value - parseTime(time));
    if (sign < 0 && ms <= 0) return "expired";
    // The clocks of two machines: nothing is younger than now.
    return humanDuration(Math.max(ms, 0));
  });
  return (
    <time dateTime={time} title={new Date(time).toLocaleString()}>
      {text}
    </time>
  );
}
