import { expect, it } from 'vitest';
import { lookAt } from './look.ts';

const MINUTE = 60_000;
const START = 1_000 * 60 * MINUTE;
/** Sixty an hour are usual; silence is due after thirty minutes, counted from the start of the hour. */
const outlook = {
  hour: 1_000,
  usual: [60, 60, 60] as const,
  bars: { ten: 1, sixty: 1 },
  silence: 30,
  quiet: { since: 1_000 * 60, usual: 0 },
};
const look = (change: object) =>
  lookAt({
    watch: { alerts: { surge: true, silence: true }, ten: 0, sixty: 0 },
    now: { outlook },
    at: START + 45 * MINUTE,
    last: undefined,
    hearing: { heard: () => true, isListening: true, through: START + 45 * MINUTE },
    newId: () => 'alert_1',
    ...change,
  }).changes;
const heardThrough = (minutes: number) => ({
  heard: () => true,
  isListening: true,
  through: START + minutes * MINUTE,
});

it('silence counts only the time that is known to have been heard', () => {
  expect(look({})).toMatchObject([{ kind: 'silence', from: new Date(START), to: undefined, rate: 0, usualRate: 60 }]);
  expect(look({ hearing: heardThrough(29) })).toEqual([]);
  expect(look({ hearing: heardThrough(30) })).toHaveLength(1);
  expect(look({ hearing: { ...heardThrough(45), heard: () => false } })).toEqual([]);
  expect(look({ last: 1_000 * 60 + 20 })).toEqual([]);
});

it('far fewer matches than usual in a day are one alert, which goes on over matches until that is over', () => {
  const missing = { rate: 10, usualRate: 20, bar: 0.4, share: 1.5 };
  const last = 1_000 * 60 + 20;
  const day = { from: new Date(START - 24 * 60 * MINUTE), rate: 10, usualRate: 20 };
  expect(look({ last, now: { outlook: { ...outlook, missing } } })).toMatchObject([
    { kind: 'silence', to: undefined, ...day },
  ]);
  const lasting = { id: 'alert_1', from: day.from.getTime(), rate: 10, usualRate: 20 };
  const now = (share: number) => ({ outlook: { ...outlook, missing: { ...missing, share } }, silence: lasting });
  expect(look({ last, now: now(0.6) })).toEqual([]);
  expect(look({ last, now: now(0.4) })).toMatchObject([{ kind: 'silence', to: new Date(START), ...day }]);
  expect(look({ last, now: { outlook, silence: lasting } })).toMatchObject([{ to: new Date(START) }]);
  const watch = { alerts: { surge: true, silence: false }, ten: 0, sixty: 0 };
  expect(look({ watch, now: { outlook: { ...outlook, missing } } })).toEqual([]);
});

it('a surge is looked for in the hour that was heard, and a silence since it began', () => {
  const asked: number[][] = [];
  const heard = (from: number, to: number) => asked.push([(from - START) / MINUTE, (to - START) / MINUTE]) > 0;
  const watch = { alerts: { surge: true, silence: true }, ten: 0, sixty: 0 };
  look({ watch, hearing: { ...heardThrough(45), heard } });
  expect(asked).toEqual([
    [-15, 45],
    [0, 45],
  ]);
});

it('a surge begins only where the whole window was heard, and only of what is watched', () => {
  const watch = { alerts: { surge: true, silence: false }, ten: 200, sixty: 200 };
  expect(look({ watch })).toMatchObject([
    { kind: 'surge', from: new Date(START + 36 * MINUTE), rate: 1_200, usualRate: 60 },
  ]);
  expect(look({ watch, hearing: { ...heardThrough(45), heard: () => false } })).toEqual([]);
  expect(look({ watch, hearing: { ...heardThrough(45), isListening: false } })).toEqual([]);
  expect(look({ watch: { ...watch, alerts: { surge: false, silence: false } } })).toEqual([]);
});
