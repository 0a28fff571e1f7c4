/** A query in the syntax of Lucene's classic parser. Every text is quoted, so that the parser's own words mean nothing in it. */
import type { Query } from '../../src/rules/query.ts';
import { isExact, joinParts } from './event-texts.ts';

/** Returns undefined where Lucene has no such clause. */
export function toLucene(query: Query): string | undefined {
  switch (query.kind) {
    case 'term':
      return clause(query.field, query.term);
    case 'phrase':
      return isExact(query) ? clause(query.field, query.terms.join(' ')) : undefined;
    case 'all':
      return joinParts(query.of.map(required), ' ');
    case 'any':
      return joinParts(query.of.map(toLucene), ' ');
    case 'not':
      return joinParts(['+*:*', required(query)], ' ');
    case 'prefix':
      return `${query.field}:${query.prefix.replace(SIGNS, '\\$&')}*`;
    case 'wildcard':
      return `${query.field}:${query.pattern.replace(SIGNS, '\\$&')}`;
    case 'regex':
      return `${query.field}:/${query.pattern.replaceAll('/', '\\/')}/`;
    default:
      return undefined;
  }
}

/** The signs that the parser would read as something else. Those of wildcards are left to mean what they mean. */
const SIGNS = /[+\-!(){}[\]^"~:/&|\s]/g;

const clause = (field: string, text: string): string => `${field}:"${text.replace(/["\\]/g, '\\$&')}"`;

function required(part: Query): string | undefined {
  const text = toLucene(part.kind === 'not' ? part.query : part);
  return text === undefined ? undefined : `${part.kind === 'not' ? '-' : '+'}${text}`;
}
