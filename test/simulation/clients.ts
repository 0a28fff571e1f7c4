/** Clients create and delete rules and push events, and posts are published upstream. */
import { logUniform, pick } from '../../bench/random.ts';
import type { Caller } from '../../src/service/access/caller.ts';
import { ServiceError } from '../../src/service/errors.ts';
import { between } from './faults.ts';
import { type EventRecord, eventKey, expectation, type RuleRecord } from './ledger.ts';
import { ask, insist, isRetryable } from './requests.ts';
import type { World } from './world-parts.ts';

/** Few, so that several rules have the same text and share what the upstream holds. */
const WORDS: readonly string[] = Array.from({ length: 6 }, (_, number) => `word${number}`);
const [LASTING_RULES, MOST_PASSING] = [4, 8];
const FIRST_ID = 10_000_000;

/** Until a client does something again. In a storm much happens; in a calm it comes in bursts, and a storm ends the wait. */
function pause({ scheduler, faults }: World, longest: number, until: number): Promise<void> {
  const { random } = scheduler;
  const isBurst = faults.isStorm || random() < 0.6;
  const wait = isBurst ? logUniform(random, 20, longest / 20) : logUniform(random, longest / 20, 5 * longest);
  const left = Math.max(0, until - scheduler.now);
  return scheduler.clockOf().sleep(Math.min(wait, left), faults.isStorm ? undefined : faults.nextStorm);
}

export async function keepRules(world: World, caller: Caller, until: number): Promise<void> {
  const { scheduler, ledger } = world;
  const own = () => ledger.rules.filter(({ account }) => account === caller.account.id);
  // The first rules stay: what they must match is known for the whole run.
  const passing = () => own().filter(({ deleteBegan }, at) => at >= LASTING_RULES && deleteBegan === undefined);
  while (scheduler.now < until) {
    const count = passing().length;
    const isCreate = count === 0 || (count < MOST_PASSING && scheduler.random() < 0.55);
    if (isCreate) await create(world, caller);
    else await remove(world, caller, pick(scheduler.random, passing()));
    await pause(world, 1_200_000, until);
  }
}

async function create(world: World, caller: Caller): Promise<void> {
  const { scheduler, ledger } = world;
  const word = pick(scheduler.random, WORDS);
  const rule: RuleRecord = {
    name: `rule ${ledger.rules.length}`,
    account: caller.account.id,
    word,
    createBegan: scheduler.step(),
  };
  ledger.rules.push(rule);
  const input = {
    name: rule.name,
    intent: '',
    platforms: ['x', 'firehose'],
    overrides: { x: word, firehose: `title:${word}` },
  };
  const id = await insist(world, `creating ${rule.name}`, () => createOnce(world, caller, rule, input));
  if (id !== undefined) rule.created = { at: scheduler.step(), id };
}

/** Sometimes the same request goes out twice at once. All answers must name one rule. */
async function createOnce(world: World, caller: Caller, { name }: RuleRecord, input: object): Promise<string> {
  const copies = world.scheduler.random() < 0.2 ? 2 : 1;
  const requests = Array.from({ length: copies }, () => ask(world, caller, 'createRule', input, name));
  const settled = await Promise.allSettled(requests);
  const failed = settled.filter((one) => one.status === 'rejected').map(({ reason }) => reason as unknown);
  const ids = new Set(settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value.rule_id));
  if (ids.size > 1) world.ledger.violations.push(`one Idempotency-Key of ${name} was answered with two rules`);
  const [id] = ids;
  const unexpected = failed.find((error) => !isRetryable(error));
  if (id === undefined || unexpected !== undefined) throw unexpected ?? failed[0];
  return id;
}

async function remove(world: World, caller: Caller, rule: RuleRecord): Promise<void> {
  const { scheduler } = world;
  if (rule.created === undefined) return;
  // With the rule go its matches: what it must have by now is looked at before.
  await world.checkCursor();
  rule.deleteBegan = scheduler.step();
  const input = { rule_id: rule.created.id };
  const done = await insist(world, `deleting ${rule.name}`, async (tries) => {
    try {
      return await ask(world, caller, 'deleteRule', input);
    } catch (error) {
      // An earlier attempt did it, and its answer was lost.
      if (tries > 1 && error instanceof ServiceError && error.code === 'not_found') return {};
      throw error;
    }
  });
  if (done !== undefined) rule.deletedAt = scheduler.step();
}

function newEvent({ scheduler, ledger }: World, platform: EventRecord['platform']): EventRecord {
  const began = scheduler.step();
  const words = WORDS.filter(() => scheduler.random() < 0.12);
  const postId = String(FIRST_ID + ledger.events.size);
  const event: EventRecord = { platform, postId, words, began, attemptBegan: began, isAcknowledged: false };
  ledger.events.set(eventKey(platform, postId), event);
  return event;
}

export async function pushEvents(world: World, caller: Caller, until: number): Promise<void> {
  const { scheduler } = world;
  while (scheduler.now < until) {
    await pause(world, 1_000_000, until);
    // Several are under way at once.
    void push(
      world,
      caller,
      Array.from({ length: between(scheduler.random, 1, 6) }, () => newEvent(world, 'firehose')),
    );
  }
}

async function push(world: World, caller: Caller, events: readonly EventRecord[]): Promise<void> {
  const { scheduler } = world;
  const lines = events.map(({ postId, words }) =>
    JSON.stringify({ id: postId, title: ['nothing', ...words].join(' ') }),
  );
  let tried = 0;
  const answer = await insist(world, `pushing ${events[0]!.postId}`, (tries) => {
    tried = tries;
    const attemptBegan = scheduler.step();
    for (const event of events) event.attemptBegan = attemptBegan;
    return ask(world, caller, 'pushEvents', { platform: 'firehose', lines: lines.join('\n') });
  });
  if (answer === undefined) return;
  const endedAt = scheduler.step();
  // An attempt whose answer was lost may still be under way in a node that is slow or frozen.
  for (const event of events) Object.assign(event, { isAcknowledged: true }, tried === 1 && { endedAt });
  if (tried === 1) checkCount(world, events, answer.matches!);
}

/** The count of new matches that a push is told lies between what must be and what may be. */
function checkCount({ ledger }: World, events: readonly EventRecord[], counted: number): void {
  const rules = ledger.rules.filter(({ deletedAt }) => deletedAt === undefined || deletedAt > events[0]!.began);
  const all = events.flatMap((event) => rules.map((rule) => expectation(rule, event)));
  const least = all.filter((one) => one === 'must').length;
  const most = all.filter((one) => one !== 'never').length;
  if (counted < least || counted > most)
    ledger.violations.push(`a push of ${events[0]!.postId} counted ${counted} matches, not ${least} to ${most}`);
}

export async function publishPosts(world: World, until: number): Promise<void> {
  const { scheduler, upstream } = world;
  while (scheduler.now < until) {
    await pause(world, 1_000_000, until);
    const event = newEvent(world, 'x');
    upstream.publish(event.postId, ['nothing', ...event.words].join(' '));
    // The upstream owes us whatever a rule of ours asks for.
    event.isAcknowledged = true;
  }
}
