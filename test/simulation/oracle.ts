/** Holds what is stored, sent and heard against what clients did and were told. */

import type { StoredMatch } from '../../src/domain/match.ts';
import type { Rule } from '../../src/domain/rule.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import type { Store } from '../../src/store/store.ts';
import { eventKey, expectation, type Ledger, type RuleRecord } from './ledger.ts';
import type { ReceivedMatch, Receiver } from './receiver.ts';
import type { World } from './world-parts.ts';

/** Only a rule that nobody began to delete must have matches. */
const isKept = ({ created, deleteBegan }: RuleRecord): boolean => created !== undefined && deleteBegan === undefined;

const matchKey = (ruleId: string, event: string): string => `${ruleId} ${event}`;

/** Every match of the account after a position, oldest first. */
async function storedMatches(store: Store, accountId: string, from = 0): Promise<StoredMatch[]> {
  const found: StoredMatch[] = [];
  for (let [after, more] = [from, true]; more; ) {
    const page = await store.matchesAfter({ accountId, after, limit: 1_000 });
    found.push(...page.matches);
    ({ last: after, more } = page);
  }
  return found;
}

/** A cursor never leads the data: every post that it covers has its matches. Each call looks at what is new since the last. */
export function createCursorCheck({
  store,
  ledger,
  upstream,
  scheduler,
}: Omit<World, 'faults' | 'checkCursor'>): () => Promise<void> {
  const there = new Set<string>();
  const read = new Map<string, number>();
  let checked = 0;
  async function readNew(accountId: string): Promise<void> {
    const after = read.get(accountId) ?? 0;
    const found = await storedMatches(store, accountId, after);
    for (const match of found) there.add(matchKey(match.ruleId, eventKey(match.platform, match.platformPostId)));
    read.set(accountId, found.at(-1)?.position ?? after);
  }
  return async () => {
    const cursor = Number((await store.cursor('x')) ?? -1);
    for (const account of new Set(ledger.rules.map((rule) => rule.account))) await readNew(account);
    const kept = ledger.rules.filter(isKept);
    for (; checked <= cursor; checked++) {
      const key = eventKey('x', upstream.log[checked]!.postId);
      for (const rule of kept) {
        if (expectation(rule, ledger.events.get(key)!) !== 'must' || there.has(matchKey(rule.created!.id, key)))
          continue;
        ledger.violations.push(`at ${scheduler.now} the cursor is ${cursor} and ${rule.name} has no match of ${key}`);
      }
    }
  };
}

/** All of one account, after everything has come to rest. */
export async function checkAccount(
  world: World,
  { account }: Caller,
  heard: readonly ReceivedMatch[],
): Promise<number> {
  const { store, ledger, receiver } = world;
  const stored = await storedMatches(store, account.id);
  for (const { id } of stored) world.scheduler.note(id);
  checkStored(ledger, account.id, stored);
  await checkRules(store, ledger, account.id);
  const sent = deliveredTo(ledger, receiver, account.name);
  checkAllowed(ledger, sent, 'was sent to a webhook');
  checkAllowed(ledger, heard, 'was heard by a subscriber');
  const sentIds = new Set(sent.map(({ id }) => id));
  for (const { id } of stored)
    if (!sentIds.has(id)) ledger.violations.push(`match ${id} was never sent to the webhook`);
  checkHeard(ledger, stored, heard);
  return stored.length;
}

function checkStored(ledger: Ledger, accountId: string, stored: readonly StoredMatch[]): void {
  const counts = new Map<string, number>();
  for (const { ruleId, platform, platformPostId } of stored) {
    const key = matchKey(ruleId, eventKey(platform, platformPostId));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counts) if (count > 1) ledger.violations.push(`match ${key} is stored ${count} times`);
  const own = ledger.rules.filter(({ account, created }) => account === accountId && created !== undefined);
  for (const rule of own.filter(isKept))
    for (const [key, event] of ledger.events)
      if (expectation(rule, event) === 'must' && !counts.has(matchKey(rule.created!.id, key)))
        ledger.violations.push(`${rule.name} has no match of ${key}`);
  const byId = new Map(own.map((rule) => [rule.created!.id, rule]));
  for (const { ruleId, platform, platformPostId } of stored) {
    const [rule, event] = [byId.get(ruleId), ledger.events.get(eventKey(platform, platformPostId))];
    if (event === undefined || (rule !== undefined && expectation(rule, event) === 'never'))
      ledger.violations.push(`${rule?.name ?? ruleId} has a match of ${platformPostId} that it must not have`);
  }
}

/** The account has every rule whose creation was acknowledged, once, under the id that was answered, and no deleted one. */
async function checkRules(store: Store, ledger: Ledger, accountId: string): Promise<void> {
  const listed: Rule[] = [];
  for await (const slice of store.rules(accountId)) listed.push(...slice);
  for (const rule of ledger.rules.filter(({ account }) => account === accountId)) {
    const ids = listed.filter(({ name }) => name === rule.name).map(({ id }) => id);
    const isExpected = rule.created !== undefined && rule.deletedAt === undefined;
    if (isExpected && ids.join() !== rule.created!.id)
      ledger.violations.push(`${rule.name} is there as [${ids.join()}]`);
    if (rule.deletedAt !== undefined && ids.length > 0) ledger.violations.push(`${rule.name} was deleted and is there`);
  }
}

/** The matches that came to the webhook of an account. Each is in one delivery. */
function deliveredTo(ledger: Ledger, { deliveries }: Receiver, name: string): ReceivedMatch[] {
  const sent = [...deliveries]
    .filter(([id]) => id.startsWith(`${name}.`))
    .flatMap(([, body]) => (JSON.parse(body) as { matches: ReceivedMatch[] }).matches);
  for (const id of repeated(sent)) ledger.violations.push(`match ${id} is in two deliveries`);
  return sent;
}

/** No match that left us is one that must not be, also of rules that are gone by now. */
function checkAllowed(ledger: Ledger, matches: readonly ReceivedMatch[], fate: string): void {
  const rules = new Map(ledger.rules.map((rule) => [rule.name, rule]));
  for (const { rule_id, rule_name, platform, platform_post_id } of matches) {
    const [rule, event] = [rules.get(rule_name)!, ledger.events.get(eventKey(platform, platform_post_id))!];
    // While a creation is tried again, an attempt that failed may have left a rule for a while.
    const isLeftOver = rule.created !== undefined && rule.created.id !== rule_id && rule.created.at < event.began;
    if (isLeftOver || expectation(rule, event) === 'never')
      ledger.violations.push(`a match of ${rule.name} (${rule_id}) and ${platform_post_id} ${fate} and must not exist`);
  }
}

/** The subscriber heard every match that is there once and in order. Matches of deleted rules may be between them. */
function checkHeard(ledger: Ledger, stored: readonly StoredMatch[], heard: readonly ReceivedMatch[]): void {
  for (const id of repeated(heard)) ledger.violations.push(`match ${id} was heard twice`);
  const there = new Set(stored.map(({ id }) => id));
  const known = heard.filter(({ id }) => there.has(id)).map(({ id }) => id);
  const missed = stored.find(({ id }, at) => known[at] !== id);
  if (missed !== undefined) ledger.violations.push(`match ${missed.id} was not heard in its place`);
}

function repeated(matches: readonly ReceivedMatch[]): string[] {
  const seen = new Set<string>();
  return matches.filter(({ id }) => seen.size === seen.add(id).size).map(({ id }) => id);
}
