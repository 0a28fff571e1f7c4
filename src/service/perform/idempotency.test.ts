import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { slow } from '../../../test/stages/slow.ts';
import { newId } from '../../base/ids.ts';
import type { Rule } from '../../domain/rule.ts';
import type { Context } from '../context.ts';
import { createOnce } from '../rules/create-once.ts';

const START = Date.parse('2026-11-15T08:30:00.000Z');
interface Answer {
  readonly rule_id: string;
  readonly more?: string;
}
type Kept = { begun: string } | { failed: string } | Answer;

/** A store that keeps what is claimed under keys, as all nodes see it. */
function stage({ isShared = false } = {}) {
  const clock = fakeClock();
  const kept = new Map<string, { bodyDigest: string; answer: Kept }>();
  const rules = new Map<string, Rule>();
  const done = { put: [] as string[], caughtUp: 0, created: [] as string[], removed: [] as string[] };
  const warned: string[] = [];
  const state = { isFull: false, onClaim: () => {} };
  const context = {
    clock,
    log: { info: () => {}, warn: (_: object, message: string) => void warned.push(message), error: () => {} },
    matching: { loaded: Promise.resolve(), put: ({ id }: { id: string }) => void done.put.push(id) },
    nodes: slow({ caughtUp: async () => void done.caughtUp++ }),
    store: slow({
      isShared,
      rule: async (_: string, id: string) => rules.get(id),
      claimAnswer: async (claim: {
        idempotencyKey: string;
        bodyDigest: string;
        answer: Kept;
        instead: Kept | undefined;
      }) => {
        state.onClaim();
        if (state.isFull) return 'full';
        const there = kept.get(claim.idempotencyKey);
        if (there !== undefined && JSON.stringify(there.answer) !== JSON.stringify(claim.instead)) return there;
        kept.set(claim.idempotencyKey, { bodyDigest: claim.bodyDigest, answer: claim.answer });
        return 'claimed';
      },
    }),
  } as unknown as Context;
  const once = (change: { key?: string; body?: unknown; create?: (id: string) => Promise<Answer> } = {}) =>
    createOnce<Answer>(context, {
      accountId: 'a',
      idempotencyKey: change.key ?? 'k',
      body: change.body ?? { name: 'n' },
      create: async (id) => {
        done.created.push(id);
        return change.create === undefined ? { rule_id: id, more: 'first' } : change.create(id);
      },
      remove: async (id) => void done.removed.push(id),
      answerFor: (rule) => ({ rule_id: rule.id, more: 'again' }),
    });
  return { clock, kept, rules, done, warned, state, once };
}

const ruleOf = (id: string, createdAt = START): Rule =>
  ({ id, accountId: 'a', version: 1, createdAt: new Date(createdAt), platforms: {} }) as unknown as Rule;

describe('one Idempotency-Key', () => {
  it('makes one rule, and answers the same again', async () => {
    const { once, done, kept } = stage();
    const first = await once();
    expect(await once()).toEqual(first);
    expect(done.created).toEqual([first.rule_id]);
    expect(kept.get('k')!.answer).toEqual(first);
    expect((await once({ key: 'other' })).rule_id).not.toBe(first.rule_id);
  });

  it('refuses another request', async () => {
    const { once, done } = stage();
    await once();
    await expect(once({ body: { name: 'other' } })).rejects.toMatchObject({ code: 'already_exists' });
    expect(done.created).toHaveLength(1);
  });

  it('answers with the rule that an interrupted request left, once every node matches it', async () => {
    const { once, kept, rules, done } = stage();
    await once();
    const { bodyDigest } = kept.get('k')!;
    kept.set('k', { bodyDigest, answer: { begun: 'rule_left' } });
    rules.set('rule_left', ruleOf('rule_left'));
    expect(await once()).toEqual({ rule_id: 'rule_left', more: 'again' });
    expect([done.put, done.caughtUp, done.created.length]).toEqual([['rule_left'], 1, 1]);
    expect(kept.get('k')!.answer).toEqual({ rule_id: 'rule_left', more: 'again' });
  });

  it('makes the rule when an interrupted or failed request left none', async () => {
    for (const answer of [{ begun: 'rule_gone' }, { failed: 'rule_gone' }]) {
      const { once, kept, done } = stage();
      await once();
      kept.set('k', { bodyDigest: kept.get('k')!.bodyDigest, answer });
      expect((await once()).rule_id).toBe(done.created[1]);
    }
  });

  it('waits for a request of another node that may still run', async () => {
    const { once, kept, clock } = stage({ isShared: true });
    await once();
    const begun = newId('rule', new Date(START));
    kept.set('k', { bodyDigest: kept.get('k')!.bodyDigest, answer: { begun } });
    await expect(once()).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
    clock.jump(60_000);
    expect((await once()).more).toBe('first');
  });

  it('is free at once after a request that failed and left no rule', async () => {
    const { once, kept, rules, warned } = stage();
    const fails = (id: string) => Promise.reject(new Error(`no ${id}`));
    await expect(once({ create: fails })).rejects.toThrow('no rule_');
    expect(kept.get('k')!.answer).toMatchObject({ failed: expect.stringMatching(/^rule_/) });
    expect((await once()).more).toBe('first');
    const leaving = async (id: string) => {
      rules.set(id, ruleOf(id));
      throw new Error('half');
    };
    await expect(once({ key: 'half', create: leaving })).rejects.toThrow('half');
    expect(kept.get('half')!.answer).toHaveProperty('begun');
    expect(warned).toEqual([]);
  });

  it('says that it is freed later when the store fails too', async () => {
    const { once, state, warned } = stage();
    const fails = () => {
      state.onClaim = () => {
        throw new Error('away');
      };
      return Promise.reject(new Error('no'));
    };
    await expect(once({ create: fails })).rejects.toThrow('no');
    expect(warned).toHaveLength(1);
  });

  it('counts for the rule of the node that took over while this one was frozen', async () => {
    const { once, kept, done } = stage();
    const frozen = async (id: string) => {
      kept.set('k', { bodyDigest: kept.get('k')!.bodyDigest, answer: { rule_id: 'rule_other' } });
      return { rule_id: id };
    };
    await expect(once({ create: frozen })).rejects.toMatchObject({ code: 'unavailable' });
    expect(done.removed).toEqual(done.created);
    const answered = async (id: string) => {
      kept.set('k2', { bodyDigest: kept.get('k2')!.bodyDigest, answer: { rule_id: id } });
      return { rule_id: id };
    };
    expect(await once({ key: 'k2', create: answered })).toEqual({ rule_id: done.created[1] });
    expect(done.removed).toHaveLength(1);
  });

  it('is one of ten thousand a day', async () => {
    const { once, state } = stage();
    state.isFull = true;
    await expect(once()).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'idempotency_keys' },
      retryAfter: 3_600,
    });
  });
});
