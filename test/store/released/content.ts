/** The content of the databases of release 0.2.0: they were made with it, and must give it back. */
import type { Account, Key } from '../../../src/domain/account.ts';
import type { Webhook } from '../../../src/domain/webhook.ts';
import type { Commit, CommitEvent, NewRule } from '../../../src/store/store.ts';

const START = Date.UTC(2026, 10, 15, 12);
const at = (seconds: number): Date => new Date(START + seconds * 1_000);

export const ACCOUNT: Account = {
  id: 'acct_released',
  name: 'released',
  plan: 'paid',
  xRules: 25,
  createdAt: at(0),
};

export const KEY: Key = {
  id: 'key_released',
  accountId: ACCOUNT.id,
  name: 'first',
  scope: 'full',
  lastFour: 'abcd',
  createdAt: at(0),
  lastUsedAt: undefined,
  expiresAt: undefined,
};

export const RULE: NewRule = {
  id: 'rule_released',
  accountId: ACCOUNT.id,
  name: 'storms',
  intent: 'storms at sea',
  createdAt: at(0),
  platforms: { x: { value: 'storm', flags: {} }, firehose: { value: 'storm', flags: { quality: true } } },
};

export const WEBHOOK: Webhook = {
  id: 'hook_released',
  accountId: ACCOUNT.id,
  url: 'https://example.org/hook',
  description: 'first',
  ruleIds: undefined,
  platforms: undefined,
  format: 'json',
  events: ['match'],
  every: undefined,
  status: 'active',
  reason: undefined,
  createdAt: at(0),
  secrets: { current: 'whsec_released', previous: undefined, previousUntil: undefined },
  health: { lastFailureAt: undefined, failingSince: undefined },
  subscription: undefined,
};

type ReleasedCommit = Commit & { readonly events: readonly CommitEvent[] };

const commitOf = (platform: Commit['platform'], second: number, posts: readonly string[]): ReleasedCommit => ({
  platform,
  at: at(second),
  events: posts.map((postId) => ({
    event: { platform, postId, payload: { data: { id: postId, text: `storm ${postId}` } }, accountId: undefined },
    matches: [{ ruleId: RULE.id, version: 1, highlights: [] }],
  })),
  cursor: { name: platform, value: posts.at(-1)! },
});

export const COMMITTED: readonly ReleasedCommit[] = [
  commitOf('x', 10, ['1', '2']),
  commitOf('firehose', 20, ['a']),
  commitOf('x', 30, ['3']),
];
