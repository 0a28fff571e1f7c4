/** Create Source and Test Source. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { newId } from '../../base/ids.ts';
import { webUrl } from '../../base/parse-url.ts';
import { isPublicAddress } from '../../delivery/webhooks/egress.ts';
import { type AskedSource, fetchKeyOf, readAccountSource, shardOf } from '../../sources/kinds/account-source.ts';
import { StoreError } from '../../store/error.ts';
import type { NewSource } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote } from '../access/change-notes.ts';
import { type Issue, invalidArgument, ServiceError } from '../errors.ts';
import { limitReached } from '../limits.ts';
import { withShownAddresses } from './operator-sources.ts';
import { operation, type SourcesRoom } from './room.ts';
import { checkInterval, metered, mostSources } from './source-limits.ts';
import { chosenSource, exampleSource, testedEvents } from './source-shapes.ts';

const { kind, name, options, platforms } = chosenSource;

export const createAccountSource = operation({
  name: 'createSource',
  summary: 'Add a source',
  description:
    'From now on the source is visited, and its events reach the rules of the account and of no other. The same source of several accounts is fetched once. Its events are matched from the first visit on, which comes at once, or with the next one to the same source where the account has it already. With an `Idempotency-Key` header, a repeat of the same request within 24 hours returns the first result.',
  access: 'full',
  grants: 'account',
  input: z.strictObject({
    kind,
    name,
    options,
    platforms: platforms.optional(),
    paused: z
      .boolean()
      .optional()
      .describe('Added, and not visited before Update Source resumes it: for rules that are to see its first events.'),
  }),
  output: z.object({ source_id: z.string() }),
  example: {
    input: {
      kind: 'feeds',
      name: exampleSource.name,
      options: { urls: ['https://volcano.example/feed.xml'] },
    },
    output: { source_id: exampleSource.id },
  },
  async run(room, caller, input, { idempotencyKey }) {
    const asked = readAsked(room, input);
    refuseUserinfo(input.options);
    if (idempotencyKey === undefined) return add(room, caller, input, asked, newId('source', room.clock.now()));
    const id = await claimedId(room, caller, idempotencyKey, input);
    // Repeats that come at once find what the first of them made.
    return room.locks.run(id, async () =>
      (await wasAdded(room, caller, id)) ? { source_id: id } : add(room, caller, input, asked, id),
    );
  },
});

export const testSource = operation({
  name: 'testSource',
  summary: 'Test a source',
  description:
    'Visits a source as Create Source would for the first time, and answers the newest events that it finds, at most ten. Nothing is stored; its fetches count for the account. `problem` says what was wrong, where something was.',
  access: 'full',
  grants: 'account',
  input: z.strictObject({ kind, options, platforms: platforms.optional() }),
  output: z.object({ events: testedEvents, problem: z.string().nullable() }),
  example: {
    input: { kind: 'feeds', options: { urls: ['https://volcano.example/feed.xml'] } },
    output: {
      events: [{ platform: 'firehose', event: { id: 'test:1', url: 'https://volcano.example/1', title: 'Eruption' } }],
      problem: null,
    },
  },
  async run(room, caller, input, { signal }) {
    const asked = readAsked(room, input);
    refuseUserinfo(input.options);
    const { events, problem } = await metered(room, caller, (meter) => room.visits.test(asked, signal, meter));
    return { events: [...events], problem: problem ?? null };
  },
});

/** Throws with every problem. */
export function readAsked(
  { visits, platforms: all }: Pick<SourcesRoom, 'visits' | 'platforms'>,
  input: Parameters<typeof readAccountSource>[0],
): AskedSource {
  const read = readAccountSource(input, visits.kinds);
  if ('problems' in read)
    throw invalidArgument(read.problems.map(({ path, message }) => issueAt(path.join('.'), message)));
  const { host } = read;
  const literal = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':')[0]!;
  if (isIP(literal) !== 0 && !isPublicAddress(literal))
    throw invalidArgument([
      issueAt('options', 'names a private address; sources of accounts are read from public ones'),
    ]);
  const local = read.platforms.filter((one) => all[one].shape !== 'upstream');
  if (local.length === 0)
    throw invalidArgument([issueAt('platforms', 'must name a platform that this server matches itself')]);
  return { ...read, platforms: local };
}

/**
 * A name and a password in an address are stored and shown with it; as a secret they are sealed. The addresses were read: parsing one
 * that is longer than any may be takes long.
 */
export function refuseUserinfo(given: Readonly<Record<string, unknown>>): void {
  for (const [option, value] of Object.entries(given))
    for (const address of Array.isArray(value) ? value : [value])
      if (hasUserinfo(address))
        throw invalidArgument([
          issueAt(
            `options.${option}`,
            'names a user or a password; give it as `secret`, which is sealed and never shown',
          ),
        ]);
}

function hasUserinfo(address: unknown): boolean {
  const url = typeof address === 'string' ? webUrl(address) : undefined;
  return url !== undefined && url.username + url.password !== '';
}

const issueAt = (path: string, message: string): Issue => ({ path, message: `It ${message}.` });

async function add(
  room: SourcesRoom,
  caller: Caller,
  { name: sourceName, paused = false }: { readonly name: string; readonly paused?: boolean | undefined },
  asked: AskedSource,
  id: string,
): Promise<{ source_id: string }> {
  const { store, clock, settings, visits } = room;
  checkInterval(settings, caller.account, asked);
  const source = storedSource(room, asked, {
    id,
    accountId: caller.account.id,
    name: sourceName,
    createdAt: clock.now(),
    isPaused: paused,
  });
  const most = mostSources(settings, caller.account);
  const note = changeNote(clock.now(), byCaller(caller), 'source.created', id, { after: sourceFields(source) });
  const isAdded = await store.addSource(source, most, note).catch((error: unknown) => {
    // Another node has added it for a repeat of this request.
    if (error instanceof StoreError && error.reason === 'exists') return true;
    throw error;
  });
  if (!isAdded)
    throw limitReached('sources', `The account has ${most} sources, which is the limit.`, {
      support: settings.support,
      details: { limit: most, used: most },
    });
  visits.wake(source);
  return { source_id: id };
}

/** Whether the source of a claimed id was added at some time, though it may be deleted since. */
async function wasAdded({ store }: SourcesRoom, { account }: Caller, id: string): Promise<boolean> {
  if ((await store.accountSource(account.id, id)) !== undefined) return true;
  return (await store.changes({ accountId: account.id, id, limit: 1 })).changes.length > 0;
}

/** The row of a source, with its secret sealed. */
export const storedSource = (
  { seal }: Pick<SourcesRoom, 'seal'>,
  asked: AskedSource,
  known: Pick<NewSource, 'id' | 'accountId' | 'name' | 'createdAt'> & { readonly isPaused?: boolean },
): NewSource => ({
  isPaused: false,
  ...known,
  kind: asked.kind,
  options: asked.options,
  platforms: asked.platforms,
  ...(asked.secret && { secret: seal.seal(JSON.stringify(asked.secret)) }),
  fetchKey: fetchKeyOf(asked, known.id),
  everyMs: asked.everyMs,
  slowestMs: asked.slowestMs,
  host: asked.host,
  shard: shardOf(asked.host),
});

/** The fields of a source in the audit log: whether it has a secret, and never which; addresses without what may be one. */
export const sourceFields = ({
  name: called,
  kind: of,
  options: given,
  platforms: fed,
  secret,
  isPaused,
}: NewSource) => ({
  name: called,
  kind: of,
  options: withShownAddresses(given),
  platforms: fed,
  secret: secret === undefined ? null : 'sealed',
  paused: isPaused,
});

/** The key is claimed for an id before the source is added: a repeat after a crash adds it under that id, and never twice. */
async function claimedId(
  { store, clock }: SourcesRoom,
  { account }: Caller,
  idempotencyKey: string,
  body: unknown,
): Promise<string> {
  const bodyDigest = createHash('sha256')
    .update(JSON.stringify(['createSource', body]))
    .digest('hex');
  const answer = { source_id: newId('source', clock.now()) };
  const outcome = await store.claimAnswer({ accountId: account.id, idempotencyKey, bodyDigest, answer });
  if (outcome === 'claimed') return answer.source_id;
  if (outcome === 'full')
    throw limitReached('idempotency_keys', 'The account has used all of its Idempotency-Keys for the day.', {});
  if (outcome.bodyDigest !== bodyDigest)
    throw new ServiceError('already_exists', 'This Idempotency-Key was used with a different request. Use a new key.');
  return (outcome.answer as typeof answer).source_id;
}
