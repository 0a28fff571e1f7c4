/** Matches straight into the store: for what is measured by reading them. */
import { systemClock } from '../src/base/clock.ts';
import { newId } from '../src/base/ids.ts';
import { ensureFirstKey } from '../src/service/access/keys.ts';
import type { CommitEvent, Store } from '../src/store/store.ts';
import { KEY } from '../test/black-box/server.ts';

const RULES = 100;
const COMMIT = 1_000;

/** The account that owns the rules, and their ids. */
export interface Owners {
  readonly accountId: string;
  readonly ruleIds: readonly string[];
}

/** The account of the key that tests use, with rules. */
export async function fillRules(store: Store): Promise<Owners> {
  await ensureFirstKey(store, systemClock.now(), KEY);
  const { id: accountId } = (await store.account('default'))!;
  const ruleIds = Array.from({ length: RULES }, () => newId('rule', systemClock.now()));
  for (const id of ruleIds) {
    const platforms = { firehose: { value: 'lava', flags: {} } };
    await store.addRule({ id, accountId, name: 'a rule', intent: '', createdAt: systemClock.now(), platforms }, {});
    await store.setRuleStatus(id, 'firehose', { status: 'active', platformRuleId: id });
  }
  return { accountId, ruleIds };
}

/** The matches from one number to below another. */
export async function fillMatches(store: Store, { accountId, ruleIds }: Owners, first: number, end: number) {
  for (let from = first; from < end; from += COMMIT) {
    const events = Array.from({ length: Math.min(COMMIT, end - from) }, (_, n) =>
      eventOf(from + n, ruleIds, accountId),
    );
    await store.commit({ platform: 'firehose', at: systemClock.now(), events });
  }
}

function eventOf(number: number, ruleIds: readonly string[], accountId: string): CommitEvent {
  const payload = {
    id: `page-${number}`,
    url: `https://bench.test/${number}`,
    title: 'Lava on the road',
    diff: { chunks: [{ typ: 'ins', text: `Lava reached the road this morning, says report ${number}.` }] },
  };
  return {
    event: { platform: 'firehose', postId: payload.id, payload, accountId },
    matches: [
      { ruleId: ruleIds[number % RULES]!, version: 1, highlights: [{ field: 'diff.chunks.0.text', start: 0, end: 4 }] },
    ],
  };
}
