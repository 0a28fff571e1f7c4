/** Names the parts of a query for people. */
import type { Bound, Predicate, Query } from '../../rules/query.ts';

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
    default:
      return `${query.field} ${fieldLabel(query)}`;
  }
}

function fieldLabel(predicate: Extract<Predicate, { field: string }>): string {
  switch (predicate.kind) {
    case 'term':
      return `has ${JSON.stringify(predicate.term)}`;
    case 'phrase': {
      const words = JSON.stringify(predicate.terms.map((term) => term ?? '?').join(' '));
      return `has ${words}${predicate.slop === 0 ? '' : ` within ${predicate.slop}`}`;
    }
    case 'literal':
      return `has ${JSON.stringify(predicate.text)}, to the letter`;
    case 'contains':
      return `contains ${JSON.stringify(predicate.text)}`;
    case 'prefix':
      return `has a word that begins ${JSON.stringify(predicate.prefix)}`;
    case 'wildcard':
      return `has a word like ${JSON.stringify(predicate.pattern)}`;
    case 'regex':
      return `has a word like /${JSON.stringify(predicate.pattern).slice(1, -1)}/`;
    case 'fuzzy':
      return `has a word within ${predicate.edits} of ${JSON.stringify(predicate.term)}`;
    case 'range':
      return `has a word ${between(predicate.from, predicate.to)}`;
    case 'number':
      return `is ${amount(predicate.from, predicate.to)}`;
    case 'exists':
      return 'is there';
  }
}

function between(from: Bound<string | number> | undefined, to: Bound<string | number> | undefined): string {
  const low = from === undefined ? [] : [`${from.inclusive ? 'from' : 'above'} ${JSON.stringify(from.value)}`];
  const high = to === undefined ? [] : [`${to.inclusive ? 'up to' : 'below'} ${JSON.stringify(to.value)}`];
  return [...low, ...high].join(' ') || 'of any value';
}

function amount(from: Bound<number> | undefined, to: Bound<number> | undefined): string {
  if (from !== undefined && from.value === to?.value) return String(from.value);
  const low = from === undefined ? [] : [from.inclusive ? `${from.value} or more` : `more than ${from.value}`];
  const high = to === undefined ? [] : [to.inclusive ? `${to.value} or less` : `less than ${to.value}`];
  return [...low, ...high].join(' and ') || 'of any value';
}
