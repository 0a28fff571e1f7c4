/**
 * `npm run bench -- intents`: what intent notes are worth. Rules are the collectors' keywords of labelled posts, all of them
 * together and each alone; the intent is what the collection is about. A note is applied as it says: a name as one more
 * alternative, what is ruled out as an exclusion. Counted is whether F1 rises or falls, on the posts of all collections.
 */
import { termTexts } from '../src/rules/language.ts';
import { languages } from '../src/rules/languages.ts';
import { all, any, not, type Query } from '../src/rules/query.ts';
import { type IntentNote, lintIntent } from '../src/service/rules/intent-lint.ts';
import { judgeTexts } from '../src/service/suggestions/rated-matches.ts';
import { hasSharedData, sharedJson, sharedLines } from '../test/stages/shared-data.ts';

interface Collection {
  readonly event: string;
  readonly name: string;
  readonly keywords: readonly string[];
  readonly type: string;
  readonly country: string;
  readonly place: string;
}

interface Post {
  readonly event: string;
  readonly text: string;
  readonly label: 'informative' | 'related' | 'unrelated' | 'not_applicable';
}

/** Adjectives, as people put them: no rule can ask for what they mean. */
const INTENTS: readonly ((of: Collection) => string)[] = [
  ({ name, type, country, place }) => [name, type, country, place].join(', '),
  ({ name, place }) =>
    `Tell me only when it is serious: useful, urgent posts on the ${name}, around ${place}, nothing old, no jokes or games`,
];

const language = languages({ local: true }).x;

export function benchIntents(): Record<string, unknown> {
  if (!hasSharedData) return { intents: 'the labelled data is not here' };
  const collections = sharedJson<Collection[]>('noise/crisis-events.json');
  const posts = sharedLines<Post>('noise/crisis-posts.ndjson.gz').filter(({ label }) => label !== 'not_applicable');
  const trials = collections.flatMap((of) => trialsOf(of));
  const queries = [
    ...new Map(trials.flatMap(({ base, applied }) => [base, applied]).map((one) => [language.print(one), one])),
  ];
  const numbers = judgeTexts(
    { platform: 'x', queries: queries.map(([, query]) => query), now: 0, checkpoint: () => {} },
    posts.map(({ text }, at) => ({ data: { id: String(at), text } })),
  );
  const matched = new Map(
    queries.map(([text], number) => [text, posts.filter((_, at) => numbers[at]?.includes(number))]),
  );
  const f1 = (event: string, query: Query) => f1Of(posts, event, matched.get(language.print(query))!);
  const verdicts = trials.map(({ event, kind, isWhole, base, applied }) => {
    const [before, after] = [f1(event, base), f1(event, applied)];
    return { kind, isWhole, change: after - before };
  });
  return {
    rules: collections.reduce((sum, { keywords }) => sum + 1 + new Set(keywords).size, 0) * INTENTS.length,
    ...Object.fromEntries(
      (['name', 'negation'] as const).flatMap((kind) =>
        [true, false].map((isWhole) => [
          `notes on ${isWhole ? 'whole rules' : 'single keywords'}, ${kind}`,
          tally(verdicts.filter((one) => one.isWhole === isWhole && one.kind === kind)),
        ]),
      ),
    ),
  };
}

interface Trial {
  readonly event: string;
  readonly kind: IntentNote['kind'];
  readonly isWhole: boolean;
  readonly base: Query;
  readonly applied: Query;
}

function trialsOf(collection: Collection): Trial[] {
  const keywords = [...new Set(collection.keywords)].map((one) => (one.includes(' ') ? `(${one})` : one));
  return [keywords.join(' OR '), ...keywords].flatMap((value, at) => {
    const base = language.queryOf(value);
    if (base === undefined) return [];
    return INTENTS.flatMap((intentOf) =>
      lintIntent('x', base, intentOf(collection)).flatMap(({ kind, named }) => {
        const [form] = termTexts(language, named.toLowerCase());
        if (form === undefined || kind === 'language') return [];
        const applied = kind === 'negation' ? all([base, not(form.query)]) : any([base, form.query]);
        return [{ event: collection.event, kind, isWhole: at === 0, base, applied }];
      }),
    );
  });
}

function f1Of(posts: readonly Post[], event: string, found: readonly Post[]): number {
  const isWanted = (post: Post) => post.event === event && post.label !== 'unrelated';
  const right = found.filter(isWanted).length;
  const wanted = posts.filter(isWanted).length;
  return right === 0 ? 0 : (2 * right) / (found.length + wanted);
}

const tally = (verdicts: readonly { readonly change: number }[]) => ({
  notes: verdicts.length,
  improve: verdicts.filter(({ change }) => change > 0).length,
  harm: verdicts.filter(({ change }) => change < 0).length,
  'mean change of F1':
    Math.round((1_000 * verdicts.reduce((sum, { change }) => sum + change, 0)) / Math.max(1, verdicts.length)) / 1_000,
});
