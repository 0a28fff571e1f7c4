/** The states of rules, and what is said of their texts, previews, translations and ratings. */
import type { Answer } from '../../../packages/client/src/index.ts';
import type { Alert, Match, Rule } from '../data/queries.ts';
import type { Shown } from './shown.ts';

type Held = NonNullable<Rule['platforms']['x']>;
type Preview = NonNullable<Answer<'previewRule'>['platforms']['x']>;

/** `paused` is a state of the whole rule, `dead` one of its text. */
export type RuleStateName = Held['status'] | 'paused' | 'dead';

/** The most serious first. */
export const RULE_STATES = {
  failed: { words: 'Failed', tone: 'bad', about: 'The platform refuses this rule.' },
  paused: { words: 'Paused', tone: 'neutral', about: 'The rule is paused, so it matches nothing.' },
  missing: { words: 'Missing', tone: 'bad', about: 'The platform no longer holds this rule.' },
  over_budget: { words: 'Over budget', tone: 'bad', about: 'The budget of this month is used up.' },
  dead: { words: 'Can never match', tone: 'bad', about: 'No event can ever match this rule.' },
  deleting: { words: 'Being deleted', tone: 'neutral', about: 'The rule is being deleted.' },
  pending: { words: 'Pending', tone: 'warn', about: 'The platform has not confirmed this rule yet.' },
  active: { words: 'Active', tone: 'ok', about: 'The rule runs on all of its platforms.' },
} as const satisfies Record<RuleStateName, Shown>;

export const RATINGS = {
  relevant: { words: 'Relevant', tone: 'ok', about: 'Rated as relevant.' },
  irrelevant: { words: 'Not relevant', tone: 'bad', about: 'Rated as not relevant.' },
} as const satisfies Record<NonNullable<Match['rating']>, Shown>;

export const ALERTS = {
  surge: { words: 'Surge', tone: 'warn', about: 'The rule matches far more than usual.' },
  silence: { words: 'Gone quiet', tone: 'warn', about: 'The rule matches nothing, where it usually does.' },
} as const satisfies Record<Alert['kind'], Shown>;

export const SEVERITIES = {
  error: { words: 'Error', tone: 'bad', about: 'The rule cannot be saved like this.' },
  warning: { words: 'Warning', tone: 'warn', about: 'The rule can be saved, and may not do what you mean.' },
} as const satisfies Record<Answer<'validateRule'>['issues'][number]['severity'], Shown>;

/** The events that a preview was made from. Only a whole stream says how many matches a day has. */
export const BASES = {
  whole_stream: { words: 'All events', tone: 'neutral', about: 'These are all recent events of the platform.' },
  existing_rules: {
    words: 'Events of existing rules',
    tone: 'warn',
    about: 'This platform only delivers events that existing rules match, so the preview covers only those.',
  },
  demo: {
    words: 'Demo',
    tone: 'warn',
    about: 'The demo feed invented these events, so they say nothing about a real day.',
  },
  too_short: {
    words: 'Too short',
    tone: 'warn',
    about: 'Less than ten minutes of events, or a few bursts of them, say nothing of a day.',
  },
} as const satisfies Record<Preview['basis'] | Answer<'nearMisses'>['basis']['of'], Shown>;

export const VERDICTS = {
  exact: { words: 'Exact', tone: 'ok', about: 'It has the same meaning.' },
  wider: { words: 'Wider', tone: 'warn', about: 'It matches more than before.' },
  narrower: { words: 'Narrower', tone: 'warn', about: 'It matches less than before.' },
  differs: { words: 'Differs', tone: 'warn', about: 'It matches some things more and some less.' },
  impossible: { words: 'Left out', tone: 'bad', about: 'The other platform has nothing like it.' },
} as const satisfies Record<Answer<'translateRule'>['verdict'], Shown>;

/** The matches that the bound of a suggestion's loss rests on. */
export const LOSS_BASES = {
  rated: { words: 'Rated', tone: 'neutral', about: 'From the matches that you rated relevant.' },
  unrated: {
    words: 'Without a rating',
    tone: 'neutral',
    about: 'From the matches that you rated relevant and those without a rating, each counted as wanted.',
  },
} as const satisfies Record<Answer<'suggestChanges'>['suggestions'][number]['effect']['relevant_lost_basis'], Shown>;

export const SUGGESTIONS = {
  exclude: { words: 'Exclude', tone: 'neutral', about: 'It adds what a match must not have.' },
  narrow: { words: 'Narrow', tone: 'neutral', about: 'It adds what a match must have.' },
  widen: { words: 'Widen', tone: 'neutral', about: 'It adds a further way to match.' },
} as const satisfies Record<Answer<'suggestChanges'>['suggestions'][number]['kind'], Shown>;
