/** Translate Rule: the rule in the other language, and the measured difference. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { Query } from '../../rules/query.ts';
import { translate } from '../../rules/translate.ts';
import type { TranslatedClause } from '../../rules/translation.ts';
import type { ReadContext } from '../context.ts';
import { fieldsOf, problemsOfText } from '../rules/rule-problems.ts';
import { platform } from '../shapes.ts';
import { computed } from './room.ts';
import { saidOf, shownBy, type TranslationTrial, tryTranslation } from './translation-trial.ts';

const VERDICTS = ['exact', 'wider', 'narrower', 'differs', 'impossible'] as const;

const other = (name: Platform): Platform => (name === 'x' ? 'firehose' : 'x');

export const tally = z.object({
  events: z.int(),
  original: z.int().describe('How many of them the original matches.'),
  translation: z.int().describe('How many of them the translation matches.'),
  missed: z.int().describe('How many only the original matches.'),
  extra: z.int().describe('How many only the translation matches.'),
});
const measured = z.object({
  summary: z.string(),
  misses: z.array(z.string()).describe('Kinds of texts made for this rule that the translation misses.'),
  finds: z.array(z.string()).describe('Kinds of these texts that only the translation matches.'),
  samples: tally.describe('Texts made for this rule, each as a post and as a page.'),
  recent: tally.describe("Recent events of the rule's platform, each with its counterpart on the other."),
});

export const translateRule = computed({
  name: 'translateRule',
  summary: "Translate a rule into the other platform's language",
  description:
    'Translates a rule into the other language, as far as possible, and tries both rules on the same texts. `clauses` has the result for each part: `exact` (proven), `wider` (matches the same and more), `narrower`, `differs` (matches some more and misses some), or `impossible` (left out). `verdict` is the result for the whole rule, and `measured` that of the trial. `value` is absent if nothing is left that the other platform accepts. Creates nothing.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({
    platform: platform.describe('The platform the rule is written for; it is translated for the other one.'),
    value: z.string(),
  }),
  output: z.object({
    platform: z.enum(PLATFORMS).describe('The platform that `value` is for.'),
    value: z.string().optional(),
    exact: z.boolean().describe('Whether every clause is proven to mean the same.'),
    verdict: z.enum(VERDICTS),
    clauses: z.array(
      z.object({
        clause: z.string(),
        becomes: z.string().optional(),
        verdict: z.enum(VERDICTS),
        reason: z.string(),
      }),
    ),
    measured: measured.optional(),
  }),
  example: {
    input: { platform: 'x', value: 'volcano lang:en' },
    output: {
      platform: 'firehose',
      value: 'volcano AND language:en',
      exact: false,
      verdict: 'narrower',
      clauses: [
        {
          clause: 'volcano',
          becomes: 'volcano',
          verdict: 'narrower',
          reason: "it misses volcano's and volcano.com, words of their own on pages",
        },
        { clause: 'lang:en', becomes: 'language:en', verdict: 'exact', reason: 'the language of the page' },
      ],
      measured: {
        summary:
          'The original matches 800 recent events; the translation misses 20 of them (2.5 %). On 240 texts made for this rule, the translation misses 30 of 90 (possessives) and finds nothing extra.',
        misses: ['possessives'],
        finds: [],
        samples: { events: 240, original: 90, translation: 60, missed: 30, extra: 0 },
        recent: { events: 1000, original: 800, translation: 780, missed: 20, extra: 0 },
      },
    },
  },
  problems(context, input) {
    const { platform: name, value } = fieldsOf(input);
    return name === 'x' || name === 'firehose' ? problemsOfText(context, 'value', name, value) : [];
  },
  async run(context, { account }, { platform: from, value }) {
    const query = context.languages[from].queryOf(value.trim())!;
    const found = translate(query, other(from), context.checkpoint, context.languages.x);
    const { text, query: translated, verdict: said, clauses } = found;
    const trial = translated && (await tried(context, account.id, from, query, translated));
    const verdict = trial === undefined ? said : shownBy(trial, said);
    return {
      platform: other(from),
      ...(text === undefined ? {} : { value: text }),
      exact: verdict === 'exact',
      verdict,
      clauses: clauses.map(clauseToJson),
      ...(trial && { measured: trialToJson(trial) }),
    };
  },
});

/** It reads recent events, as a preview does. */
const tried = (
  { store, settings, clock, checkpoint }: ReadContext,
  accountId: string,
  from: Platform,
  original: Query,
  translation: Query,
): Promise<TranslationTrial> =>
  tryTranslation({
    from,
    original,
    translation,
    recent: store.recentEvents(accountId, from, settings.recentEvents),
    now: clock.now(),
    checkpoint,
  });

const clauseToJson = ({ clause, becomes, verdict, reason }: TranslatedClause) => ({
  clause,
  ...(becomes === undefined ? {} : { becomes }),
  verdict,
  reason,
});

const trialToJson = (trial: TranslationTrial): z.input<typeof measured> => ({
  summary: saidOf(trial),
  misses: [...trial.misses],
  finds: [...trial.finds],
  samples: trial.samples,
  recent: trial.recent,
});
