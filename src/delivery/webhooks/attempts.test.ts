import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import type { Match } from '../../domain/match.ts';
import type { Webhook } from '../../domain/webhook.ts';
import { attempt, sendTest } from './attempts.ts';
import type { Sent } from './outcome.ts';
import { createSeal } from './seal.ts';
import { failedToSend, type WebhookRequest } from './transport.ts';

const seal = createSeal(randomBytes(32));
const SECRETS = ['whsec_AAAA', 'whsec_BBBB'] as const;

function stand(answer: Sent = { ...failedToSend(''), statusCode: 204, error: undefined, response: 'thanks' }) {
  const clock = fakeClock();
  const sent: WebhookRequest[] = [];
  const deps = {
    clock,
    seal,
    version: '1.2',
    async send(request: WebhookRequest) {
      sent.push(request);
      await clock.sleep(250);
      return answer;
    },
  };
  const webhook: Webhook = {
    id: 'hook_1',
    accountId: 'one',
    url: 'https://example.com/hook',
    description: '',
    ruleIds: undefined,
    platforms: undefined,
    events: ['match'],
    format: 'json',
    every: undefined,
    status: 'active',
    reason: undefined,
    createdAt: new Date(0),
    secrets: {
      current: seal.seal(SECRETS[0]),
      previous: seal.seal(SECRETS[1]),
      previousUntil: new Date(clock.now().getTime() + 1_000),
    },
    health: { lastFailureAt: undefined, failingSince: undefined },
  };
  return { clock, sent, deps, webhook };
}

const signatures = ({ headers }: WebhookRequest) => headers['webhook-signature']!.split(' ').length;

describe('an attempt', () => {
  it('sends the frozen bytes under their id, and notes what came of it and how long it took', async () => {
    const { clock, sent, deps, webhook } = stand();
    const started = clock.now();
    const trying = attempt(deps, webhook, { id: 'dlv_1', body: '{"a":1}' }, new AbortController().signal);
    await clock.pass(250);
    expect((await trying).attempt).toEqual({
      at: started,
      milliseconds: 250,
      statusCode: 204,
      error: undefined,
      response: 'thanks',
    });
    expect(sent[0]).toMatchObject({
      url: 'https://example.com/hook',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json', 'user-agent': 'Sluice/1.2', 'webhook-id': 'dlv_1' },
    });
  });

  it('forgets the credential where the receiver or an error repeats it', async () => {
    const answer = { ...failedToSend('No bot 12:abc.'), statusCode: 404, response: '{"token":"12:abc"}' };
    const { clock, deps, webhook } = stand({ ...answer, error: 'No bot 12:abc.' });
    const delivery = { id: 'dlv_1', body: '{}' };
    const trying = attempt(
      deps,
      { ...webhook, credential: seal.seal('12:abc') },
      delivery,
      new AbortController().signal,
    );
    await clock.pass(250);
    const { response, error } = (await trying).attempt;
    expect([response, error]).toEqual(['{"token":"***"}', 'No bot ***.']);
  });

  it('is signed with the previous secret as well, until that ends, so that a receiver can change over', async () => {
    const { clock, sent, deps, webhook } = stand();
    const send = async (one: Webhook) => {
      const trying = attempt(deps, one, { id: 'dlv_1', body: '{}' }, new AbortController().signal);
      await clock.pass(250);
      await trying;
      return signatures(sent.at(-1)!);
    };
    expect(await send(webhook)).toBe(2);
    const until = (previousUntil: Date | undefined) => ({ ...webhook, secrets: { ...webhook.secrets, previousUntil } });
    expect(await send(until(undefined))).toBe(1);
    expect(await send(until(clock.now()))).toBe(1);
    expect(await send({ ...until(new Date(9e12)), secrets: { ...webhook.secrets, previous: undefined } })).toBe(1);
    expect(
      await send({ ...webhook, secrets: { ...webhook.secrets, previous: 'broken', previousUntil: new Date(9e12) } }),
    ).toBe(1);
  });

  it('for a test is one sample, marked as a test, under an id of its own', async () => {
    const { clock, sent, deps, webhook } = stand();
    const sample = { id: 'match_1' } as Match;
    const encode = ({ id }: Match) => JSON.stringify({ id });
    for (let times = 0; times < 2; times++) {
      const trying = sendTest({ ...deps, encode }, webhook, sample, new AbortController().signal);
      await clock.pass(250);
      expect(await trying).toMatchObject({ statusCode: 204 });
    }
    expect(JSON.parse(sent[0]!.body)).toEqual({ type: 'test', webhook_id: 'hook_1', matches: [{ id: 'match_1' }] });
    expect(sent[0]!.headers['webhook-id']).toMatch(/^dlv_/);
    expect(sent[0]!.headers['webhook-id']).not.toBe(sent[1]!.headers['webhook-id']);
  });
});
