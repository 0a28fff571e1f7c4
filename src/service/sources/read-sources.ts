/** List Sources, Get Source, Update Source and Delete Source. */
import { z } from 'zod';
import { withShownSources } from '../../base/parse-url.ts';
import type { StoredSource } from '../../domain/source.ts';
import { type AskedSource, hostOfKept, readsTheSame, type SourceSecret } from '../../sources/kinds/account-source.ts';
import type { NewSource } from '../../store/store.ts';
import type { Caller } from '../access/caller.ts';
import { byCaller, changeNote } from '../access/change-notes.ts';
import { invalidArgument, ServiceError } from '../errors.ts';
import { readAsked, refuseUserinfo, sourceFields, storedSource } from './create-source.ts';
import { operatorSources, withShownAddresses } from './operator-sources.ts';
import { operation, type SourcesRoom } from './room.ts';
import { checkInterval } from './source-limits.ts';
import { chosenSource, exampleSource, listedSource, sourceId } from './source-shapes.ts';

export const listSources = operation({
  name: 'listSources',
  summary: 'List sources',
  description:
    'The sources of the account, oldest first, then those of the operator, which feed all accounts. Secrets are never shown.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({}),
  output: z.object({ sources: z.array(listedSource) }),
  example: { input: {}, output: { sources: [exampleSource] } },
  async run(room, caller) {
    const sources: z.input<typeof listedSource>[] = [];
    for await (const slice of slices(room, caller)) sources.push(...slice);
    return { sources };
  },
  stream: { property: 'sources', slices },
});

async function* slices(room: SourcesRoom, caller: Caller): AsyncIterable<z.input<typeof listedSource>[]> {
  for await (const slice of room.store.accountSources(caller.account.id))
    yield slice.map((source) => shown(room, caller, source));
  yield operatorSources(room);
}

export const getSource = operation({
  name: 'getSource',
  summary: 'Get a source',
  description: 'One source: of the account by its id, or of the operator by its name.',
  access: 'read',
  grants: 'account',
  input: z.strictObject({ source_id: sourceId }),
  output: listedSource,
  example: { input: { source_id: exampleSource.id }, output: exampleSource },
  async run(room, caller, { source_id }) {
    const own = await room.store.accountSource(caller.account.id, source_id);
    if (own !== undefined) return shown(room, caller, own);
    const operators = (await operatorSources(room)).find(({ id }) => id === source_id);
    if (operators !== undefined) return operators;
    throw unknownSource();
  },
});

export const updateSource = operation({
  name: 'updateSource',
  summary: 'Change a source',
  description:
    'Changes the given fields; options that are left out stay as they are, and null takes one away. A paused source is not visited. A secret stays with the host that it was given for: with another host it must be given again.',
  access: 'full',
  grants: 'account',
  input: z.strictObject({
    source_id: sourceId,
    name: chosenSource.name.optional(),
    options: chosenSource.options.optional(),
    platforms: chosenSource.platforms.optional(),
    paused: z.boolean().optional(),
  }),
  output: listedSource,
  example: {
    input: { source_id: exampleSource.id, paused: true },
    output: { ...exampleSource, status: 'paused', next_at: null },
  },
  run: (room, caller, input) =>
    room.locks.run(input.source_id, async () => {
      const { store, clock, visits } = room;
      const before = await ownSource(room, caller, input.source_id);
      const after = changed(room, caller, before, input);
      refuseUserinfo(input.options ?? {});
      const note = changeNote(clock.now(), byCaller(caller), 'source.changed', before.id, {
        before: sourceFields({ ...before, host: '', shard: 0 }),
        after: {
          ...sourceFields(after),
          ...(isElsewhere(before, after) && { address: 'changed' }),
          ...(hasNewSecret(input) && { secret: 'changed' }),
        },
      });
      if (!(await store.changeSource(after, clock.now(), note))) throw unknownSource();
      visits.wake(after);
      return shown(room, caller, await ownSource(room, caller, before.id));
    }),
});

export const deleteSource = operation({
  name: 'deleteSource',
  summary: 'Delete a source',
  description:
    'It is visited no more, unless another account has it too. Its matches stay. A rule that is limited to deleted sources alone matches nothing.',
  access: 'full',
  grants: 'account',
  input: z.strictObject({ source_id: sourceId }),
  output: z.object({}),
  example: { input: { source_id: exampleSource.id }, output: {} },
  run: (room, caller, { source_id }) =>
    room.locks.run(source_id, async () => {
      const before = await ownSource(room, caller, source_id);
      const note = changeNote(room.clock.now(), byCaller(caller), 'source.deleted', source_id, {
        before: sourceFields({ ...before, host: '', shard: 0 }),
      });
      if (!(await room.store.deleteSource(caller.account.id, source_id, room.clock.now(), note))) throw unknownSource();
      return {};
    }),
});

async function ownSource(room: SourcesRoom, { account }: Caller, id: string): Promise<StoredSource> {
  const own = await room.store.accountSource(account.id, id);
  if (own !== undefined) return own;
  if (room.operatorSources.some(({ name }) => name === id))
    throw new ServiceError(
      'permission_denied',
      'This source is the operator’s: it is set in sluice.yaml or SLUICE_SOURCES, for all accounts.',
    );
  throw unknownSource();
}

const unknownSource = (): ServiceError => new ServiceError('not_found', 'There is no such source.');

const secretOf = ({ seal }: Pick<SourcesRoom, 'seal'>, { secret }: StoredSource): SourceSecret | undefined => {
  const text = secret === undefined ? undefined : seal.unseal(secret);
  return text === undefined ? undefined : (JSON.parse(text) as SourceSecret);
};

/** A caller that may not change a source does not see what may be a secret in its address. */
function shown(room: SourcesRoom, { key }: Caller, source: StoredSource): z.input<typeof listedSource> {
  const secret = secretOf(room, source);
  const names = [...(secret?.headers === undefined ? [] : ['secret']), ...Object.keys(secret?.options ?? {})];
  const listed = sourceToJson(source, names);
  return key.scope === 'full' ? listed : { ...listed, options: withShownAddresses(listed.options) };
}

const isElsewhere = (before: StoredSource, after: NewSource): boolean =>
  ['urls', 'url'].some((name) => JSON.stringify(before.options[name]) !== JSON.stringify(after.options[name]));

type Change = z.output<typeof updateSource.input>;

const hasNewSecret = ({ options = {} }: Change): boolean => 'secret' in options || 'token' in options;

/** A source of an older program may have more than it may now: it is not read again to be paused or renamed. */
function askedAfter(
  room: SourcesRoom,
  before: StoredSource,
  { options: more, platforms, paused }: Change,
): AskedSource {
  const kept = secretOf(room, before);
  if (more === undefined && platforms === undefined && paused !== false)
    return { ...before, secret: kept, host: hostOfKept(before) };
  const given = { ...before.options, ...kept?.options, secret: kept?.headers, ...more };
  const options = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  );
  return readAsked(room, { kind: before.kind, options, platforms: platforms ?? before.platforms });
}

function changed(room: SourcesRoom, caller: Caller, before: StoredSource, input: Change): NewSource {
  const asked = askedAfter(room, before, input);
  const oldHost = hostOfKept(before);
  if (asked.host !== oldHost && asked.secret !== undefined && !hasNewSecret(input))
    throw invalidArgument([
      {
        path: 'options.secret',
        message: `It must be given again, or be null: it was given for ${oldHost}, and the source is on ${asked.host} now.`,
      },
    ]);
  const isPaused = input.paused ?? before.isPaused;
  if (!isPaused) checkInterval(room.settings, caller.account, asked);
  const { id, accountId, createdAt } = before;
  const after = storedSource(room, asked, { id, accountId, createdAt, name: input.name ?? before.name, isPaused });
  const asBefore: AskedSource = { ...before, secret: secretOf(room, before), host: oldHost };
  return readsTheSame(asBefore, asked) ? { ...after, fetchKey: before.fetchKey } : after;
}

const sourceToJson = (source: StoredSource, secrets: readonly string[]): z.input<typeof listedSource> => ({
  id: source.id,
  name: source.name,
  kind: source.kind,
  options: source.options,
  secrets: [...secrets],
  platforms: [...source.platforms],
  owner: 'account',
  status: source.status,
  last_good_at: source.lastGoodAt?.toISOString() ?? null,
  last_error:
    source.lastError === undefined
      ? null
      : { at: source.lastError.at.toISOString(), message: withShownSources(source.lastError.message) },
  next_at: source.nextAt?.toISOString() ?? null,
  rate: Math.round(source.rate * 100) / 100,
  events: source.events,
  created_at: source.createdAt.toISOString(),
});
