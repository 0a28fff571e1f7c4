/**
 * Asks the upstreams' own validators about what their documents leave open, and makes test cases of the answers. X is asked
 * by a dry run, which creates nothing; Firehose by its public validator, which needs no token.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../src/domain/platform.ts';
import { languages } from '../src/rules/languages.ts';

interface Ask {
  readonly rule: string;
  readonly times?: number;
  readonly valid: boolean;
}

export interface Point {
  readonly id: string;
  readonly point: string;
  readonly asks?: readonly Ask[];
  readonly cannot?: string;
}

/** One rule with what the upstream says of it. */
export interface Answered {
  readonly id: string;
  readonly point: string;
  readonly rule: string;
  readonly assumed: boolean;
  readonly valid: boolean;
  /** In the upstream's own words, where it gives any. */
  readonly said: readonly string[];
}

/** A file of test cases: who answered, when, and what. */
export interface Confirmed {
  readonly by: string;
  readonly at: string;
  readonly answers: readonly Answered[];
}

const POINTS = join(import.meta.dirname, '..', 'test', 'confirm', 'points.json');

export const pointsOf = (platform: Platform): readonly Point[] =>
  (JSON.parse(readFileSync(POINTS, 'utf8')) as Record<Platform, Point[]>)[platform];

export interface Upstream {
  readonly url: string;
  readonly token?: string | undefined;
  readonly now: () => Date;
}

export interface Question {
  readonly id: string;
  readonly point: string;
  readonly rule: string;
  readonly assumed: boolean;
}

export const questionsOf = (platform: Platform): Question[] =>
  pointsOf(platform).flatMap(({ id, point, asks = [] }) =>
    asks.map(({ rule, times = 1, valid }) => ({ id, point, rule: rule.repeat(times).trim(), assumed: valid })),
  );

/** Throws when the upstream does not answer, or in a way that says nothing of the rules. */
export async function confirm(platform: Platform, upstream: Upstream): Promise<Confirmed> {
  const ask = platform === 'x' ? askX : askFirehose;
  const answers: Answered[] = [];
  // One by one: an answer is about one rule, and neither upstream allows many requests at once.
  for (const question of questionsOf(platform)) answers.push({ ...question, ...(await ask(question.rule, upstream)) });
  return { by: upstream.url, at: upstream.now().toISOString(), answers };
}

type Verdict = Pick<Answered, 'valid' | 'said'>;

/** X allows a hundred such requests in fifteen minutes; there are fewer points than that. */
async function askX(rule: string, { url, token }: Upstream): Promise<Verdict> {
  const body = await asked(`${url}/2/tweets/search/stream/rules?dry_run=true`, { add: [{ value: rule }] }, token);
  const { errors = [], meta } = body as {
    errors?: { details?: string[]; title?: string }[];
    meta?: { summary?: object };
  };
  if (meta?.summary === undefined)
    throw new Error(`X answered without a summary: ${JSON.stringify(body).slice(0, 200)}`);
  const refused = errors.filter(({ title }) => title !== 'DuplicateRule');
  return { valid: refused.length === 0, said: refused.flatMap(({ details = [] }) => details) };
}

async function askFirehose(rule: string, { url }: Upstream): Promise<Verdict> {
  const body = await asked(`${url}/v1/validate/public`, { query: rule });
  const found = ('data' in body ? body['data'] : body) as { valid?: unknown; diagnostics?: { message?: string }[] };
  if (typeof found.valid !== 'boolean') {
    throw new Error(`Firehose answered without \`valid\`: ${JSON.stringify(body).slice(0, 200)}`);
  }
  return { valid: found.valid, said: (found.diagnostics ?? []).flatMap(({ message }) => message ?? []) };
}

const PATIENCE = 15_000;

async function asked(url: string, body: object, token?: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** The answers that our own languages do not give. */
export function disagreements(platform: Platform, { answers }: Confirmed): Answered[] {
  const language = languages()[platform];
  return answers.filter(({ rule, valid }) => (language.parse(rule).query !== undefined) !== valid);
}

export function reportOn(platform: Platform, confirmed: Confirmed): string[] {
  const other = confirmed.answers.filter(({ assumed, valid }) => assumed !== valid);
  const unasked = pointsOf(platform).filter(({ asks }) => asks === undefined);
  return [
    `${platform}: ${confirmed.answers.length} rules asked of ${confirmed.by}, ${other.length} answered otherwise than assumed; ${unasked.length} points cannot be asked so.`,
    ...other.map(
      ({ id, point, rule, valid }) => `  ${id} ${point}: ${rule.slice(0, 80)} is ${valid ? 'valid' : 'refused'}`,
    ),
  ];
}
