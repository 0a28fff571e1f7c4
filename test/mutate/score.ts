/** Samples, scores and their table. */
import type { Hunted } from './hunt.ts';
import type { Verdict } from './prove.ts';

/** A random number in [0, 1) for each call, the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** `size` of the values, in the order of the draw: the first of them are a sample too. */
export function sampleOf<Value>(values: readonly Value[], size: number, seed: number): Value[] {
  const random = randomFrom(seed);
  const drawn = values.map((value) => ({ value, draw: random() })).toSorted((a, b) => a.draw - b.draw);
  return drawn.slice(0, size).map(({ value }) => value);
}

/** Wilson's 95 % interval of a share. */
export function interval(part: number, whole: number): [number, number] {
  if (whole === 0) return [0, 1];
  const z = 1.959964;
  const share = part / whole;
  const middle = share + (z * z) / (2 * whole);
  const spread = z * Math.sqrt((share * (1 - share)) / whole + (z * z) / (4 * whole * whole));
  const scale = 1 + (z * z) / whole;
  return [(middle - spread) / scale, (middle + spread) / scale];
}

export interface FolderScore {
  readonly folder: string;
  /** Mutants in the folder, without the equivalent ones. */
  readonly all: number;
  readonly equivalent: number;
  readonly tried: number;
  readonly counts: Readonly<Record<Verdict, number>>;
  readonly score: number;
  /** Of what all mutants of the folder would score. */
  readonly interval: readonly [number, number];
}

/** A mutant that no test reaches counts as survived. */
export function scoreOf(folder: string, all: number, equivalent: number, hunted: readonly Hunted[]): FolderScore {
  const counts = { killed: 0, timeout: 0, survived: 0, 'not covered': 0 };
  for (const { verdict } of hunted) counts[verdict]++;
  const killed = counts.killed + counts.timeout;
  const tried = hunted.length;
  return {
    folder,
    all,
    equivalent,
    tried,
    counts,
    score: tried === 0 ? 0 : killed / tried,
    interval: tried === all ? [killed / tried, killed / tried] : interval(killed, tried),
  };
}

export function printTable(scores: readonly FolderScore[]): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const rows = scores.map(({ folder, all, equivalent, tried, counts, score, interval: [low, high] }) => [
    folder,
    String(all),
    String(equivalent),
    String(tried),
    String(counts.killed),
    String(counts.timeout),
    String(counts.survived),
    String(counts['not covered']),
    percent(score),
    low === high ? 'exact' : `${percent(low)} to ${percent(high)}`,
  ]);
  const head = [
    'folder',
    'mutants',
    'equivalent',
    'tried',
    'killed',
    'timeouts',
    'survived',
    'not covered',
    'score',
    '95 % interval',
  ];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
