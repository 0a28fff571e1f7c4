/**
 * Translation: a query of one language as text in the other, with a report that says, clause by clause, what was kept.
 * Nothing is guessed silently: what cannot be said is left out, named, and its effect on the whole is stated.
 */
import type { Platform } from '../domain/platform.ts';
import { firehoseLanguage } from './firehose/language.ts';
import type { Language } from './language.ts';
import { all, any, not, type Predicate, type Query } from './query.ts';
import { toFirehose } from './translate-to-firehose.ts';
import { toX } from './translate-to-x.ts';
import type { Rendering, TranslatedClause, Translation } from './translation.ts';
import { xLanguage } from './x/language.ts';

const OPPOSITE = { exact: 'exact', wider: 'narrower', narrower: 'wider' } as const;

export function translate(query: Query, to: Platform): Translation {
  const [source, target, render] =
    to === 'firehose'
      ? ([xLanguage({ level: 'enterprise+embedding' }), firehoseLanguage, toFirehose] as const)
      : ([firehoseLanguage, xLanguage(), toX] as const);
  const clauses: TranslatedClause[] = [];
  const translated = walk(query, { negated: false, withoutIt: 'wider' }, { source, target, render, clauses });
  if (translated === undefined) return { text: undefined, clauses };
  const text = isConstant(translated) ? '' : target.print(translated);
  const error = target.parse(text).diagnostics.find((one) => one.severity === 'error');
  if (error === undefined) return { text, clauses };
  const reason = `what is left is no valid rule there: ${error.message}`;
  const whole: TranslatedClause = { clause: source.print(query), becomes: undefined, verdict: 'impossible', reason };
  return { text: undefined, clauses: [...clauses, whole] };
}

const isConstant = (query: Query) => query.kind === 'everything' || query.kind === 'nothing';

interface Walk {
  readonly source: Language;
  readonly target: Language;
  readonly render: (predicate: Predicate) => Rendering;
  readonly clauses: TranslatedClause[];
}

/** Where in the tree a part stands. */
interface Place {
  readonly negated: boolean;
  /** What leaving the part out does to the whole. */
  readonly withoutIt: 'wider' | 'narrower';
}

function walk(query: Query, place: Place, to: Walk): Query | undefined {
  switch (query.kind) {
    case 'all':
    case 'any': {
      const { negated } = place;
      const withoutIt = (query.kind === 'any') === negated ? 'wider' : 'narrower';
      const parts = query.of.map((part) => walk(part, { negated, withoutIt }, to)).filter((part) => part !== undefined);
      if (parts.length === 0) return undefined;
      return query.kind === 'all' ? all(distinct(parts)) : any(distinct(parts));
    }
    case 'not': {
      const inner = walk(query.query, { ...place, negated: !place.negated }, to);
      return inner && not(inner);
    }
    case 'everything':
    case 'nothing':
      return query;
    default:
      return clause(query, place, to);
  }
}

/** Two clauses may become one and the same. */
const distinct = (parts: readonly Query[]): Query[] => [
  ...new Map(parts.map((part) => [JSON.stringify(part), part])).values(),
];

function clause(
  predicate: Predicate,
  { negated, withoutIt }: Place,
  { source, target, render, clauses }: Walk,
): Query | undefined {
  const rendering = render(predicate);
  const sign = (query: Query) => (negated ? not(query) : query);
  const written = source.print(sign(predicate));
  if ('impossible' in rendering) {
    const reason = `${rendering.impossible}; left out, which makes the whole ${withoutIt}`;
    clauses.push({ clause: written, becomes: undefined, verdict: 'impossible', reason });
    return undefined;
  }
  const verdict = negated ? OPPOSITE[rendering.verdict] : rendering.verdict;
  const becomes = isConstant(rendering.query) ? '' : target.print(sign(rendering.query));
  clauses.push({ clause: written, becomes, verdict, reason: rendering.reason });
  return rendering.query;
}
