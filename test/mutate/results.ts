/** Verdicts of earlier runs, one JSON a line: what was tried on the same text is not tried again. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hunted } from './hunt.ts';
import type { Mutant } from './mutant.ts';

export interface Results {
  of(mutant: Mutant): Hunted | undefined;
  add(hunted: Hunted): void;
}

interface Line extends Hunted {
  /** Of the text of the file, and of what was changed in it. */
  readonly digest: string;
}

/** With `again` what survived is not known. */
export function openResults(root: string, path: string | undefined, again: boolean): Results {
  const texts = new Map<string, string>();
  const textOf = (file: string): string => {
    const known = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    texts.set(file, known);
    return known;
  };
  const digestOf = ({ file, start, end, operator, now }: Mutant): string =>
    createHash('sha256')
      .update(JSON.stringify([file, textOf(file), start, end, operator, now]))
      .digest('hex');
  const lines = path === undefined || !existsSync(path) ? [] : readFileSync(path, 'utf8').split('\n').filter(Boolean);
  const known = new Map<string, Line>();
  for (const line of lines.map((text) => JSON.parse(text) as Line)) {
    if (!again || !isAlive(line)) known.set(line.digest, line);
  }
  return {
    of: (mutant) => known.get(digestOf(mutant)),
    add(hunted) {
      if (path === undefined) return;
      const line: Line = { digest: digestOf(hunted.mutant), ...hunted };
      appendFileSync(path, `${JSON.stringify(line)}\n`);
    },
  };
}

export const isAlive = ({ verdict }: Pick<Hunted, 'verdict'>): boolean =>
  verdict === 'survived' || verdict === 'not covered';
