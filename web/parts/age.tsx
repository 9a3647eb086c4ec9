// How long ago, or how long still: texts that follow the clock by themselves.
import { useComputed } from "@preact/signals";
import { humanDuration, parseTime } from "../../shared/k8s/time.ts";
import { messages } from "../messages.ts";
import { nowMs } from "./now.ts";

const texts = messages.sandbox;

interface Props {
  readonly time: string | null | undefined;
}

export function Age({ time }: Props) {
  if (!time) return null;
  return <Ticking time={time} sign={1} key={time} />;
}

/** `expired` from then on. */
export function TimeLeft({ time }: Props) {
  if (!time) return null;
  return <Ticking time={time} sign={-1} key={time} />;
}

/** `expires in 4d3h`, and `expired 5m ago` from then on. */
export function Expiry({ time }: { readonly time: string }) {
  const isOver = useComputed(() => nowMs.value >= parseTime(time));
  return isOver.value ? (
    <>
      {texts.expired} <Age time={time} /> {texts.ago}
    </>
  ) : (
    <>
      {texts.expiresIn} <TimeLeft time={time} />
    </>
  );
}

function Ticking({ time, sign }: { time: string; sign: 1 | -1 }) {
  const text = useComputed(() => {
    const ms = sign * (nowMs.value - parseTime(time));
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
