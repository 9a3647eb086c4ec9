// Randomness that can be replayed: after `rewind`, the same values are drawn again before new ones.
import type { Random } from "./random.ts";

export interface RecordedRandom extends Random {
  rewind(): void;
}

export function recordedRandom(random: Random): RecordedRandom {
  const numbers: number[] = [];
  const texts: string[] = [];
  let at = { numbers: 0, texts: 0 };
  const text = (draw: () => string): string => (texts[at.texts++] ??= draw());
  return {
    next: () => (numbers[at.numbers++] ??= random.next()),
    uuid: () => text(() => random.uuid()),
    suffix: (length) => text(() => random.suffix(length)),
    begin: (purpose) => random.begin?.(purpose),
    rewind: () => {
      at = { numbers: 0, texts: 0 };
    },
  };
}
