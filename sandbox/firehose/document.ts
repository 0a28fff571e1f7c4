/** A page as Firehose delivers it: with the change that matched, without the fields that only rules use. */
import { listIn, recordIn } from '../../src/base/json.ts';
import type { Payload } from '../../src/domain/match.ts';

/** The name on the wire, and the name in rules. A page may come with either. */
const NAMES = [
  ['url', 'url'],
  ['title', 'title'],
  ['publish_time', 'publish_time'],
  ['diff', 'diff'],
  ['page_category', 'page_category'],
  ['page_types', 'page_type'],
  ['language', 'language'],
  ['domain_rating', 'dr'],
  ['markdown', 'markdown'],
] as const;

export function documentOf(page: Payload): Payload {
  const chunks = [
    ...listIn(recordIn(page['diff'])?.['chunks']),
    ...textsIn(page['removed']).map((text) => ({ typ: 'del', text })),
    ...textsIn(page['added']).map((text) => ({ typ: 'ins', text })),
  ];
  const whole: Payload = { ...page, diff: chunks.length > 0 ? { chunks } : undefined };
  const document: Record<string, unknown> = {};
  for (const [name, inRules] of NAMES) {
    const value = whole[name] ?? whole[inRules];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    document[name] = value;
  }
  return document;
}

const textsIn = (value: unknown): readonly unknown[] => (typeof value === 'string' ? [value] : listIn(value));

/** Returns the page with another change, for F24. */
export function changedAgain(document: Payload, copy: number): Payload {
  const chunks = listIn(recordIn(document['diff'])?.['chunks']);
  return { ...document, diff: { chunks: [...chunks, { typ: 'ins', text: `change ${copy}` }] } };
}
