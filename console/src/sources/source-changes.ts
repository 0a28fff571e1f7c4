/** The form of a source: what it shows, and what a person has changed in it, as the API wants it. Pure. */
import { hashKey } from '@tanstack/react-query';
import type { Input } from '../../../packages/client/src/index.ts';
import type { ListedSource } from '../data/queries.ts';

interface When {
  readonly below?: number;
  readonly above?: number;
  readonly appears?: string;
  readonly vanishes?: string;
}

export interface SourceDraft {
  readonly name: string;
  readonly minutes: string;
  readonly select: string;
  readonly ignore: string;
  readonly ignoreText: string;
  readonly below: string;
  readonly above: string;
  readonly appears: string;
  readonly vanishes: string;
}

type Edited = Pick<ListedSource, 'id' | 'kind' | 'name' | 'options'>;

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const listOf = (value: unknown): string => (Array.isArray(value) ? value.join('\n') : '');
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

export function sourceDraftOf({ name, options }: Pick<Edited, 'name' | 'options'>): SourceDraft {
  const when = (options['when'] ?? {}) as When;
  return {
    name,
    minutes: typeof options['every'] === 'number' ? String(options['every'] / 60) : '',
    select: textOf(options['select']),
    ignore: listOf(options['ignore']),
    ignoreText: listOf(options['ignore_text']),
    below: textOf(when.below),
    above: textOf(when.above),
    appears: textOf(when.appears),
    vanishes: textOf(when.vanishes),
  };
}

/** Why the draft cannot be saved. An empty field is no obstacle: it takes its option away. */
export function sourceObstacle({ minutes, below, above }: SourceDraft): string | undefined {
  const isNumber = (text: string) => text.trim() === '' || Number.isFinite(Number(text));
  if (!isNumber(minutes) || (minutes.trim() !== '' && Number(minutes) <= 0))
    return '“Visit every” takes a number above 0, such as 30 or 1.5.';
  if (!isNumber(below)) return '“Number below” takes a number, such as 19.99.';
  return isNumber(above) ? undefined : '“Number above” takes a number, such as 19.99.';
}

/**
 * Only what differs from the source that the form was opened with: what others have changed of the rest meanwhile stays.
 * It is undefined where nothing differs.
 */
export function sourceChanges(opened: Edited, draft: SourceDraft): Input<'updateSource'> | undefined {
  const before = optionsOf(opened, sourceDraftOf(opened));
  const options = Object.entries(optionsOf(opened, draft)).filter(
    ([name, value]) => hashKey([value]) !== hashKey([before[name]]),
  );
  if (draft.name === opened.name && options.length === 0) return undefined;
  return {
    source_id: opened.id,
    ...(draft.name !== opened.name && { name: draft.name }),
    ...(options.length > 0 && { options: Object.fromEntries(options) }),
  };
}

function optionsOf({ kind }: Edited, draft: SourceDraft): Record<string, unknown> {
  const every = draft.minutes.trim() === '' ? null : Math.round(Number(draft.minutes) * 60);
  return { every, ...(kind === 'watch' && pageOptions(draft)) };
}

/** Empty fields take their options away. */
function pageOptions({ select, ignore, ignoreText, below, above, appears, vanishes }: SourceDraft) {
  const when = {
    ...(below.trim() !== '' && { below: Number(below) }),
    ...(above.trim() !== '' && { above: Number(above) }),
    ...(appears !== '' && { appears }),
    ...(vanishes !== '' && { vanishes }),
  };
  return {
    select: select.trim() || null,
    ignore: linesOf(ignore),
    ignore_text: linesOf(ignoreText),
    when: Object.keys(when).length === 0 ? null : when,
  };
}
