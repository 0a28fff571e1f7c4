/** Every enum that the API answers with is shown: one table for each, exhaustive, with a word, a colour and a sentence. */
import { describe, expect, it } from 'vitest';
import { COVERAGE_REASONS } from '../../../src/domain/coverage.ts';
import { openApi } from '../../../src/http/openapi.ts';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { CHANGED_BY, GRANT_SCOPES, PLANS, SCOPES } from './access.ts';
import { causeWords, REASONS, reasonWords, STREAM_CAUSES } from './coverage.ts';
import {
  DELIVERY_STATES,
  DISTINCT,
  FEED_CONTENTS,
  FORMATS,
  NOTICE_KINDS,
  NOTICES,
  SUBSCRIBED_EVENTS,
  SUBSCRIPTION_STATES,
  WAKE_UNITS,
  WEBHOOK_EVENTS,
  WEBHOOK_STATES,
  WEEKDAYS,
} from './delivery.ts';
import { LIMITS } from './limits.ts';
import { NOT_READY_STATES, PLATFORM_STATES, SHAPES, SOURCE_PACES, SOURCE_STATES, WARNINGS } from './platform-states.ts';
import { ALERTS, BASES, LOSS_BASES, RATINGS, RULE_STATES, SEVERITIES, SUGGESTIONS, VERDICTS } from './rules.ts';
import type { Shown } from './shown.ts';
import { VISITED_STATES } from './visited.ts';

/** By the place in the answer, as `operation.path.to.field`; `*` stands for any operation. */
const SHOWN: Readonly<Record<string, Readonly<Record<string, Shown>>>> = {
  '*.platforms.*.status': RULE_STATES,
  '*.rating': RATINGS,
  '*.issues.severity': SEVERITIES,
  'PreviewRule.platforms.*.basis': BASES,
  'NearMisses.basis.of': BASES,
  'ExplainEvent.basis.of': BASES,
  'TranslateRule.verdict': VERDICTS,
  'TranslateRule.clauses.verdict': VERDICTS,
  'SuggestChanges.suggestions.kind': SUGGESTIONS,
  'SuggestChanges.suggestions.effect.relevant_lost_basis': LOSS_BASES,
  '*.scope': SCOPES,
  '*.grants.scopes': GRANT_SCOPES,
  '*.plan': PLANS,
  'Status.limits.code': LIMITS,
  'Status.platforms.*.shape': SHAPES,
  'Status.platforms.*.state': PLATFORM_STATES,
  'Status.instance.not_ready': NOT_READY_STATES,
  'Status.instance.warnings': WARNINGS,
  'Status.sources.state': SOURCE_STATES,
  'Status.sources.pace': SOURCE_PACES,
  'ListChanges.changes.by.kind': CHANGED_BY,
  '*Silence*.by.kind': CHANGED_BY,
  'alerts.alerts.kind': ALERTS,
  '*.events': WEBHOOK_EVENTS,
  '*.format': FORMATS,
  '*.wake.per': WAKE_UNITS,
  '*.wake.quiet.days': WEEKDAYS,
  '*.notices.quiet.days': WEEKDAYS,
  '*.notices.kinds': NOTICE_KINDS,
  '*.notice': NOTICES,
  '*.wake.when.distinct': DISTINCT,
  '*.feeds.what': FEED_CONTENTS,
  '*Webhook.status': WEBHOOK_STATES,
  'ListWebhooks.webhooks.status': WEBHOOK_STATES,
  'ListDeliveries.deliveries.status': DELIVERY_STATES,
  'SendMatch.status': DELIVERY_STATES,
  'ListSources.sources.status': VISITED_STATES,
  '*Source.status': VISITED_STATES,
  '*.subscriptions.event': SUBSCRIBED_EVENTS,
  '*.subscriptions.status': SUBSCRIPTION_STATES,
};

/** What is no state: it has no word of its own, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '*.platform': 'the names of platforms are in PLATFORM_NAMES',
  '*.platforms': 'the same',
  '*.owner': 'sources of the operator are marked as such',
  'ExplainMatch.story_joined_by': 'the console shows the story with its matches',
  'ExplainEvent.found': 'the console explains events that it shows already',
  'ListWakes.wakes.state': 'the console shows the deliveries that carry wakes',
  '*.rule_type': 'the console shows the cost itself',
  'MatchCounts.interval': 'its values are the words of the axis',
  '*.feeds.what': 'the console lists no feeds',
  'Status.instance.judge.*': '`sluice status` tells the operator of the judge',
  'RehearseRule.*': 'the console shows no rehearsals',
  '*Rehearsal*.*': 'the same',
};

interface Enum {
  readonly place: string;
  readonly values: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

const { paths, components } = (await openApi('0.0.0')) as { paths: Json; components: { schemas: Json } };

/** All enums below a schema. Names of a schema's own structure, and of shared schemas, are not part of the place. */
function enumsIn(schema: unknown, place: string, inside: readonly string[] = []): Enum[] {
  if (typeof schema !== 'object' || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((one) => enumsIn(one, place, inside));
  const { $ref, enum: values, properties, propertyNames: _, ...rest } = schema as Json;
  if (typeof $ref === 'string') {
    const name = $ref.split('/').at(-1)!;
    // A tree of explanations has itself as a branch.
    return inside.includes(name) ? [] : enumsIn(components.schemas[name], place, [...inside, name]);
  }
  const own = Array.isArray(values) ? [{ place, values: values as string[] }] : [];
  const below = Object.entries((properties ?? {}) as Json).flatMap(([name, one]) =>
    enumsIn(one, `${place}.${name}`, inside),
  );
  const parts = ['items', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'].flatMap((name) =>
    enumsIn(rest[name], place, inside),
  );
  return [...own, ...below, ...parts];
}

const enumsOfAnswers = (): Enum[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods as Json).flatMap((operation) => {
      const { responses } = operation as { responses?: Record<string, { content?: Record<string, Json> }> };
      const schema = responses?.['200']?.content?.['application/json']?.['schema'];
      return enumsIn(schema, path.replace(/^\/(?:api\.)?/, '').replaceAll('/', '.'));
    }),
  );

const fits = (pattern: string, place: string): boolean =>
  new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(place);
const find = <Value>(table: Readonly<Record<string, Value>>, place: string): Value | undefined =>
  Object.entries(table).find(([pattern]) => fits(pattern, place))?.[1];

const FOUND = enumsOfAnswers();

describe('every enum that the API answers with', () => {
  it('is found at all', () => {
    expect(FOUND.length).toBeGreaterThan(60);
    for (const pattern of [...Object.keys(SHOWN), ...Object.keys(ELSEWHERE)])
      expect(
        FOUND.some(({ place }) => fits(pattern, place)),
        `${pattern} names no enum`,
      ).toBe(true);
  });

  it.each(FOUND.map(({ place, values }) => [place, values] as const))('%s has its words', (place, values) => {
    if (find(ELSEWHERE, place) !== undefined) return;
    const table = find(SHOWN, place);
    expect(table, `${place} (${values.join(', ')}) needs a table in console/src/words`).toBeDefined();
    for (const value of values) expect(table, place).toHaveProperty([value]);
  });

  it('is named as the platforms are', () => {
    const platforms = FOUND.find(({ place }) => place.endsWith('.platform'))!.values;
    expect(Object.keys(PLATFORM_NAMES)).toEqual(platforms);
  });
});

/** Green is for what works; nothing else may look like it. */
const GREEN = ['ok', 'active', 'live', 'ready', 'delivered', 'usual', 'relevant', 'exact'];

describe('every state', () => {
  const tables = [...new Set(Object.values(SHOWN))];
  const states = tables.flatMap((table) => Object.entries(table).map(([name, shown]) => ({ name, ...shown, table })));

  it.each(states)('$name: $words. $about', ({ name, words, tone, about, table }) => {
    expect(words).toMatch(/^[A-Za-z]/);
    expect(about).toMatch(/^[A-Z].*\.$/);
    expect(tone === 'ok').toBe(GREEN.includes(name));
    expect(Object.values(table).filter((one) => one.words === words)).toHaveLength(1);
  });

  it('of coverage has a word and a colour, and the sentence of the API', () => {
    for (const code of Object.keys(COVERAGE_REASONS)) {
      expect(REASONS).toHaveProperty([code]);
      expect(reasonWords(code)).toMatch(/^[A-Z].*\.$/);
    }
    expect(Object.values(REASONS).some(({ tone }) => (tone as string) === 'ok')).toBe(false);
  });

  it('of a gap has a sentence, with the name of the source where it has one', () => {
    for (const cause of Object.keys(STREAM_CAUSES)) expect(causeWords(cause)).toMatch(/^[A-Z].*\.$/);
    expect(causeWords('source_unwitnessed:news')).toMatch(/ \(news\)\.$/);
    expect(causeWords('source_down:news')).toBe('A source cannot be reached (news).');
  });
});
