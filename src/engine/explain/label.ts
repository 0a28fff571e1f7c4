/** Names the parts of a query for people. */
import type { Bound, Query } from '../../rules/query.ts';

/** One line for each part. Values are quoted as JSON, so that every character in them prints. */
export function labelOf(query: Query): string {
  switch (query.kind) {
    case 'all':
      return 'all of';
    case 'any':
      return 'any of';
    case 'not':
      return 'not';
    case 'everything':
      return 'every event';
    case 'nothing':
      return 'no event';
    case 'term':
      return `${query.field} has ${JSON.stringify(query.term)}`;
    case 'phrase': {
      const words = JSON.stringify(query.terms.map((term) => term ?? '?').join(' '));
      return `${query.field} has ${words}${query.slop === 0 ? '' : ` within ${query.slop}`}`;
    }
    case 'literal':
      return `${query.field} has ${JSON.stringify(query.text)}, to the letter`;
    case 'contains':
      return `${query.field} contains ${JSON.stringify(query.text)}`;
    case 'prefix':
      return `${query.field} has a word that begins ${JSON.stringify(query.prefix)}`;
    case 'wildcard':
      return `${query.field} has a word like ${JSON.stringify(query.pattern)}`;
    case 'regex':
      return `${query.field} has a word like /${JSON.stringify(query.pattern).slice(1, -1)}/`;
    case 'fuzzy':
      return `${query.field} has a word within ${query.edits} of ${JSON.stringify(query.term)}`;
    case 'range':
      return `${query.field} has a word ${between(query.from, query.to)}`;
    case 'number':
      return `${query.field} is ${between(query.from, query.to)}`;
    case 'exists':
      return `${query.field} is there`;
    case 'circle':
      return `sent from within ${query.radius} m of ${query.longitude}, ${query.latitude}`;
    case 'box':
      return `sent from between ${query.west}, ${query.south} and ${query.east}, ${query.north}`;
    case 'sample':
      return `in a sample of ${query.percent} %`;
    case 'recent':
      return `published in the last ${query.milliseconds / 3_600_000} h`;
    case 'upstream':
      return `${query.operator} ${JSON.stringify(query.value)}, for the upstream to judge`;
  }
}

function between(from: Bound<string | number> | undefined, to: Bound<string | number> | undefined): string {
  const low = from === undefined ? [] : [`${from.inclusive ? 'from' : 'above'} ${JSON.stringify(from.value)}`];
  const high = to === undefined ? [] : [`${to.inclusive ? 'up to' : 'below'} ${JSON.stringify(to.value)}`];
  return [...low, ...high].join(' ') || 'of any value';
}
