/** The worked examples and the refused rules of both references, over HTTP. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import { type Case, readCorpus, unmark } from '../stages/corpus.ts';
import { fakeClock } from '../stages/fake-clock.ts';
import { call, RULES } from './reader.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ limits: 'off', clock: fakeClock('2026-02-13T08:06:32.000Z') });
});
afterAll(() => sandbox.stop());

const named = (cases: readonly Case[]) => cases.map((one) => [`${one.title} (${one.at})`, one] as const);
const isRefused = (one: Case) => one.expected.some(({ sign }) => sign === 'xx');
const worked = (folder: string) => named(readCorpus(folder).filter(({ at }) => at.includes('worked')));

const pages = JSON.parse(
  readFileSync(join(import.meta.dirname, '../corpus/match-firehose/pages.json'), 'utf8'),
) as Record<string, object>;

/** Reads a case's event as the corpus is read everywhere: posts are by `ada`, in English. */
function postOf(text: string): object {
  const given = (text.startsWith('{') ? JSON.parse(text) : { data: { text } }) as {
    data?: object;
    includes?: { users?: object[] };
  };
  const ada = { id: '2000000001', username: 'ada', name: 'Ada' };
  return {
    data: { id: '1700000000000000000', text: '', author_id: ada.id, lang: 'en', ...given.data },
    includes: { ...given.includes, users: [...(given.includes?.users ?? []), ada] },
  };
}

function pageOf(text: string): object {
  if (text.startsWith('@')) return pages[text.slice(1)]!;
  return text.startsWith('{') ? (JSON.parse(text) as object) : { id: '1', added: text };
}

/** Pushes each event of a case, and says of each whether the one rule there is matched it. */
async function judged(platform: 'x' | 'firehose', one: Case): Promise<string[]> {
  const signs: string[] = [];
  for (const { text: written } of one.expected) {
    const text = written.startsWith('{') ? written : unmark(written).text;
    const body = JSON.stringify(platform === 'x' ? postOf(text) : pageOf(text));
    const pushed = await call(`${sandbox.url}/sandbox/events?platform=${platform}`, { method: 'POST', body });
    const { accepted, matches } = pushed.json<{ accepted: number; matches: number }>();
    expect(accepted).toBe(1);
    signs.push(matches === 1 ? '+' : '-');
  }
  return signs;
}

describe('the worked examples of X', () => {
  it.each(worked('match-x'))('%s', async (_, one) => {
    const body = { add: [{ value: one.rule }] };
    expect((await call(sandbox.url + RULES, { method: 'POST', body })).status).toBe(201);
    expect(await judged('x', one)).toEqual(one.expected.map(({ sign }) => sign));
    await call(`${sandbox.url}${RULES}?delete_all=true`, { method: 'POST' });
  });
});

describe('the rules that X refuses', () => {
  it.each(named(readCorpus('x').filter(isRefused)))('%s', async (_, one) => {
    const { status, json } = await call(sandbox.url + RULES, { method: 'POST', body: { add: [{ value: one.rule }] } });
    const { errors, meta } = json<{ errors: { details: string[] }[]; meta: { summary: object } }>();
    expect([status, meta.summary]).toEqual([200, { created: 0, not_created: 1, valid: 0, invalid: 1 }]);
    const messages = one.expected.filter(({ sign }) => sign === '!!').map(({ text }) => text);
    expect(messages.length > 0 ? errors[0]!.details : []).toEqual(messages);
    expect(errors).toMatchObject([{ value: one.rule, title: 'UnprocessableEntity' }]);
  });
});

describe('the worked examples of Firehose', () => {
  it.each(worked('match-firehose'))('%s', async (_, one) => {
    const body = { value: one.rule, quality: false, nsfw: true };
    const created = await call(`${sandbox.url}/v1/rules`, { method: 'POST', body });
    expect(created.status).toBe(201);
    expect(await judged('firehose', one)).toEqual(one.expected.map(({ sign }) => sign));
    await call(`${sandbox.url}/v1/rules/${created.json<{ data: { id: string } }>().data.id}`, { method: 'DELETE' });
  });
});

describe('the rules that Firehose refuses', () => {
  it.each(named(readCorpus('firehose').filter(isRefused)))('%s', async (_, one) => {
    const created = await call(`${sandbox.url}/v1/rules`, { method: 'POST', body: { value: one.rule } });
    expect([created.status, created.json()]).toMatchObject([422, { errors: { value: [expect.any(String)] } }]);
    if (one.rule === '') return;
    const validated = await call(`${sandbox.url}/v1/validate`, { method: 'POST', body: { query: one.rule } });
    const { valid, diagnostics, compiled } = validated.json<{
      valid: boolean;
      diagnostics: { severity: string; code: string }[];
      compiled: string | null;
    }>();
    expect([validated.status, valid, compiled]).toEqual([200, false, null]);
    const codes = one.expected.filter(({ sign }) => sign === 'xx').map(({ text }) => text);
    expect(diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)).toEqual(codes);
  });
});
