/** Logs a page in a tap: one update with all rules that matched or, in the older generation, one update for each rule. */
import type { Payload } from '../../src/domain/match.ts';
import type { Context } from '../context.ts';
import { changedAgain, documentOf } from './document.ts';
import type { Update } from './log.ts';
import type { Generation } from './stream.ts';
import type { Tap } from './taps.ts';

/** Logs the page that these rules matched, and returns the first update. */
export function logPage(
  { clock, faults }: Context,
  tap: Tap,
  page: Payload,
  ruleIds: readonly string[],
  generation: Generation,
): Update {
  const skew = (faults.take('F25')?.seconds ?? 0) * 1_000;
  const matchedAt = new Date(clock.now().getTime() + skew);
  const jump = faults.take('F4', ({ lost }) => !lost);
  if (jump !== undefined) tap.log.offsets.next += jump.count;
  tap.log.offsets.split = faults.take('F7') !== undefined;
  const restart = faults.take('F6');
  if (restart !== undefined) tap.log.offsets.next = restart.to;
  const onlyReplayed = isKeptBack(tap, faults.take('F4', ({ lost }) => lost)?.count);

  const foreign = faults.take('F18');
  const queryIds = foreign === undefined ? ruleIds : [...(foreign.only ? [] : ruleIds), '999999999'];
  const document = documentOf(page);
  const copies = faults.take('F24')?.copies ?? 1;
  const logged: Update[] = [];
  for (let copy = 0; copy < copies; copy++) {
    const changed = copy === 0 ? document : changedAgain(document, copy);
    for (const ids of generation === 'query_ids' ? [queryIds] : queryIds.map((id) => [id])) {
      const named = generation === 'query_ids' ? { query_ids: ids } : { query_id: ids[0] };
      const data = { ...named, matched_at: matchedAt.toISOString(), tap_id: tap.id, document: changed };
      logged.push(tap.log.append({ queryIds: ids, json: spoilt(faults, data), onlyReplayed }));
    }
  }
  return logged[0]!;
}

/** How many of the next updates of a tap live readers do not get. */
const keptBack = new WeakMap<Tap, number>();

function isKeptBack(tap: Tap, more = 0): boolean {
  const left = (keptBack.get(tap) ?? 0) + more;
  keptBack.set(tap, Math.max(0, left - 1));
  return left > 0;
}

type Data = { readonly document: Payload } & Readonly<Record<string, unknown>>;

/** F19 and F20. */
function spoilt(faults: Context['faults'], data: Data): string {
  const bad = faults.take('F19');
  if (bad !== undefined) return badly(bad.kind, data);
  const padded = faults.take('F20');
  if (padded === undefined) return JSON.stringify(data);
  return JSON.stringify({ ...data, document: { ...data.document, markdown: 'x'.repeat(padded.bytes) } });
}

function badly(kind: string, data: Data): string {
  switch (kind) {
    case 'no-url': {
      const { url: _, ...document } = data.document;
      return JSON.stringify({ ...data, document });
    }
    case 'bad-time':
      return JSON.stringify({ ...data, matched_at: 'yesterday' });
    case 'future-time':
      return JSON.stringify({ ...data, matched_at: '2999-01-01T00:00:00Z' });
    default:
      return '{"query_ids":["1"],"document":{';
  }
}
