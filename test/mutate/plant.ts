/** Plants all mutants of a file at once: each is a switch that is off unless its number is asked for. */
import type { Mutant } from './mutant.ts';

interface Site {
  readonly start: number;
  readonly end: number;
  readonly kind: Mutant['kind'];
  readonly choices: { readonly number: number; readonly now: string }[];
}

/** `first` is the number of the file's first mutant, `from` the module of the switch. */
export function plant(text: string, mutants: readonly Mutant[], first: number, from: string): string {
  const sites = new Map<string, Site>();
  for (const [index, { start, end, kind, now }] of mutants.entries()) {
    const key = `${start} ${end} ${kind}`;
    const site = sites.get(key) ?? { start, end, kind, choices: [] };
    site.choices.push({ number: first + index, now });
    sites.set(key, site);
  }
  // The outermost first; a statement before the expression that fills it.
  const inOrder = [...sites.values()].toSorted(
    (one, other) => one.start - other.start || other.end - one.end || (one.kind === 'expression' ? 1 : -1),
  );
  let next = 0;
  const render = (start: number, end: number): string => {
    let made = '';
    let at = start;
    while (next < inOrder.length && inOrder[next]!.end <= end && inOrder[next]!.start < end) {
      const site = inOrder[next++]!;
      made += text.slice(at, site.start) + switched(site, render(site.start, site.end));
      at = site.end;
    }
    return made + text.slice(at, end);
  };
  // The line that makes a program of a file stays the first one.
  const [head = ''] = /^#!.*\n/.exec(text) ?? [];
  return `${head}import { isOn as $isOn } from '${from}';const $on = $isOn;${render(head.length, text.length)}`;
}

function switched({ kind, choices }: Site, original: string): string {
  const { number } = choices[0]!;
  if (kind === 'statement') return `{if(!$on(${number})){${original}}}`;
  if (kind === 'body') return `{if($on(${number}))return;${original.slice(1)}`;
  return `(${choices.map((one) => `$on(${one.number})?(${one.now}):`).join('')}(${original}))`;
}
