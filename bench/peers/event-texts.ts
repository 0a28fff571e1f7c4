/** Rules and events as peers get them. */
import type { Platform } from '../../src/domain/platform.ts';
import type { EventView } from '../../src/engine/events/event-view.ts';
import type { Query } from '../../src/rules/query.ts';
import { type FieldText, TEXT_FIELDS } from './peer.ts';

/** The texts as they were sent; the values of other fields as our own analysis found them, which spares peers that work. */
export function textsOfEvent(platform: Platform, fields: ReadonlySet<string>, { pieces }: EventView): FieldText[] {
  return pieces
    .filter(({ field }) => fields.has(field))
    .map(({ field, text, source, span }) => ({
      field,
      text: inOneLine(TEXT_FIELDS[platform].includes(field) && span === undefined ? source : text),
    }));
}

/** The files that peers read have tabs between values and lines between events. */
const inOneLine = (text: string): string => text.replace(/[\t\r\n\0]/g, ' ');

/** In the words that all peers have: a literal is a phrase, and a phrase in a link is a host, which they do not cut at its dots. */
export function forPeers(query: Query, platform: Platform): Query {
  switch (query.kind) {
    case 'literal':
      return { kind: 'phrase', field: query.field, terms: query.terms, slop: 0 };
    case 'phrase':
      return isExact(query) && query.field === 'url' && platform === 'x'
        ? { kind: 'term', field: query.field, term: query.terms.join('.') }
        : query;
    case 'all':
    case 'any':
      return { kind: query.kind, of: query.of.map((part) => forPeers(part, platform)) };
    case 'not':
      return { kind: 'not', query: forPeers(query.query, platform) };
    default:
      return query;
  }
}

type Phrase = Query & { kind: 'phrase' };

/** Words side by side, without holes. */
export const isExact = (phrase: Phrase): phrase is Phrase & { readonly terms: readonly string[] } =>
  phrase.slop === 0 && !phrase.terms.includes(null);

/** Adds the fields that a query names. */
export function addFields(fields: Set<string>, query: Query): void {
  if (query.kind === 'all' || query.kind === 'any') for (const part of query.of) addFields(fields, part);
  else if (query.kind === 'not') addFields(fields, query.query);
  else if ('field' in query) fields.add(query.field);
}

/** Returns undefined where one part is undefined. */
export const joinParts = (parts: readonly (string | undefined)[], between: string): string | undefined =>
  parts.includes(undefined) ? undefined : parts.length === 1 ? parts[0] : `(${parts.join(between)})`;
