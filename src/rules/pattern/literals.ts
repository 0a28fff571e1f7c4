/** Finds plain text that every match of a pattern must contain, so that an index can search for it first. */
import type { Regex } from './regex.ts';

export interface Literals {
  readonly required: readonly string[];
  readonly prefix: string;
}

export function literalsOf(regex: Regex): Literals {
  const runs: string[] = [''];
  collect(regex, runs);
  return { required: runs.filter((run) => run !== ''), prefix: runs[0]! };
}

/** Extends the last run by text that must come next, and starts a new run after anything uncertain. */
function collect(regex: Regex, runs: string[]): void {
  switch (regex.kind) {
    case 'set':
      if (regex.ranges.length === 2 && regex.ranges[0] === regex.ranges[1])
        runs[runs.length - 1] += String.fromCodePoint(regex.ranges[0]!);
      else runs.push('');
      return;
    case 'cat':
      for (const part of regex.of) collect(part, runs);
      return;
    case 'repeat':
      if (regex.min > 0) collect(regex.of, runs);
      if (regex.min !== 1 || regex.max !== 1) runs.push('');
      return;
    case 'or':
    case 'and':
    case 'not':
      runs.push('');
      return;
  }
}
