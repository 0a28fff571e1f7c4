/** One Idempotency-Key makes one rule, however often the request is sent, on however many nodes. */
import { createHash } from 'node:crypto';
import { newId } from '../../base/ids.ts';
import type { Rule } from '../../domain/rule.ts';
import { finishOrUndo, isAboutToBeStored, isUnderWay } from '../cluster/reconcile.ts';
import { ServiceError } from '../errors.ts';
import { liveRuleOf } from '../ingest/live-rule.ts';
import { limitReached } from '../limits.ts';
import type { RulesRoom } from './room.ts';

interface Created {
  readonly rule_id: string;
}

interface KeyedRequest<Answer> {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly body: unknown;
  create(ruleId: string): Promise<Answer>;
  /** Undoes `create`. */
  remove(ruleId: string): Promise<unknown>;
  /** The answer to the request that created this rule. */
  answerFor(rule: Rule): Answer;
}

/** The value stored under a key: the rule that a request started or failed to create, or the answer. */
type Kept<Answer> = { readonly begun: string } | { readonly failed: string } | Answer;

/**
 * The key is claimed for a rule's id before the rule is created, and the answer is stored afterwards. After a crash in
 * between there is either no rule, which is then created now, or a complete rule, which is the answer. If requests on
 * several nodes race, one wins the claim.
 */
export async function createOnce<Answer extends Created>(
  context: RulesRoom,
  request: KeyedRequest<Answer>,
): Promise<Answer> {
  const { accountId, idempotencyKey, body } = request;
  const id = newId('rule', context.clock.now());
  const bodyDigest = createHash('sha256').update(JSON.stringify(body)).digest('hex');
  /** Returns undefined when the claim won, else the answer that is stored under the key. */
  const claim = async (answer: Kept<Answer>, instead?: Kept<Answer>) => {
    const outcome = await context.store.claimAnswer({ accountId, idempotencyKey, bodyDigest, answer, instead });
    if (outcome === 'full') throw tooManyKeys();
    return outcome === 'claimed' ? undefined : outcome;
  };
  const begun = { begun: id };
  for (let there = await claim(begun); there !== undefined; ) {
    if (there.bodyDigest !== bodyDigest) {
      throw new ServiceError(
        'already_exists',
        'This Idempotency-Key was used with a different request. Use a new key.',
      );
    }
    const kept = there.answer as Kept<Answer>;
    if ('rule_id' in kept) return kept;
    const rule = 'begun' in kept ? await ruleMade(context, accountId, kept.begun) : undefined;
    if (rule !== undefined) await matchEverywhere(context, rule);
    const answer = rule && request.answerFor(rule);
    there = await claim(answer ?? begun, kept);
    if (there === undefined && answer !== undefined) return answer;
  }
  const answer = await request.create(id).catch(async (error: unknown) => {
    await noteFailure(context, accountId, id, () => claim({ failed: id }, begun));
    throw error;
  });
  const there = await claim(answer, begun);
  if (there === undefined || (there.answer as Partial<Created>).rule_id === id) return answer;
  // This process froze for a minute, and another node took over the key: that node's rule counts.
  await request.remove(id);
  throw stillRunning();
}

/** The rule that an interrupted request left, completed; undefined if there is none. */
async function ruleMade(context: RulesRoom, accountId: string, ruleId: string): Promise<Rule | undefined> {
  // The start repairs the traces of a crash, so that afterwards the rule is complete or absent.
  await context.matching.loaded;
  const rule = await context.store.rule(accountId, ruleId);
  if (rule === undefined ? isAboutToBeStored(context, ruleId) : isUnderWay(context, rule)) throw stillRunning();
  return rule && finishOrUndo(context, rule);
}

/** The request that made the rule may have ended before this node or another matched by it. */
async function matchEverywhere({ matching, nodes }: RulesRoom, rule: Rule): Promise<void> {
  matching.put(liveRuleOf(rule));
  await nodes.caughtUp();
}

/** A request that left no rule frees its key at once. Otherwise other nodes wait a minute before they try again. */
async function noteFailure(
  { store, log }: RulesRoom,
  accountId: string,
  ruleId: string,
  free: () => Promise<unknown>,
): Promise<void> {
  try {
    if ((await store.rule(accountId, ruleId)) === undefined) await free();
  } catch (error) {
    log.warn({ ruleId, err: error }, 'the Idempotency-Key of a failed request is freed only after a minute');
  }
}

const stillRunning = (): ServiceError =>
  new ServiceError('unavailable', 'The first request with this Idempotency-Key is still running. Try again.', {
    retryAfter: 5,
  });

const tooManyKeys = (): ServiceError =>
  limitReached(
    'idempotency_keys',
    'The account has used 10,000 Idempotency-Keys within 24 hours, which is the limit.',
    {
      retryAfter: 3_600,
    },
  );
