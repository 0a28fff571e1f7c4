import { describe, expect, it, vi } from 'vitest';
import { fakeClock } from '../../../test/stages/fake-clock.ts';
import { openService } from '../../../test/stages/service.ts';
import { HistoryError } from '../../sources/history/history.ts';
import { MAX_ARCHIVE_DAYS, MAX_REHEARSALS } from '../limits.ts';

const DAY = 86_400_000;
const NOW = '2026-11-15T08:30:00.000Z';
const lava = { platforms: ['x'], overrides: { x: 'lava' } };

/** A service that takes rehearsals and runs none. */
async function stage(history: object = {}) {
  const test = await openService({ clock: fakeClock(), roles: ['api'], history: history });
  const ada = await test.caller('ada');
  const rehearse = (input: object) => test.call(ada, 'rehearseRule', { history: { kind: 'recent' }, ...input });
  const both = { platforms: ['x', 'firehose'], overrides: { x: 'lava', firehose: 'title:lava' } };
  const create = (change: object = {}) =>
    test.call(ada, 'createRule', {
      name: 'Lava',
      intent: '',
      ...both,
      options: { firehose: { nsfw: false } },
      ...change,
    });
  return Object.assign(test, { ada, rehearse, create });
}

const issues = (work: Promise<unknown>): Promise<[string, string][]> =>
  work.then(
    () => [],
    ({ details }: { details: { issues: { path: string; message: string }[] } }) =>
      details.issues.map(({ path, message }): [string, string] => [path, message]),
  );

describe('a rehearsal that is asked for', () => {
  it('waits, with what it was asked for, and a matcher is woken', async () => {
    await using test = await stage();
    const woken = vi.spyOn(test.service.context.rehearsals, 'wake');
    const made = await test.rehearse(lava);
    expect(made).toEqual({
      id: expect.stringMatching(/^reh_/),
      status: 'waiting',
      queries: { x: 'lava' },
      history: { kind: 'recent' },
      created_at: NOW,
      ended_at: null,
      events: 0,
      progress: null,
    });
    expect(woken).toHaveBeenCalledTimes(1);
    expect(await test.call(test.ada, 'getRehearsal', { rehearsal_id: made.id })).toEqual({
      ...made,
      result: { unreadable: 0, platforms: {} },
    });
    expect((await test.call(test.ada, 'listRehearsals')).rehearsals).toEqual([made]);
  });

  it('takes the texts of a stored rule, on all of its platforms or on some', async () => {
    await using test = await stage();
    const { rule_id } = await test.create();
    expect(await test.rehearse({ rule_id })).toMatchObject({ rule_id, queries: { x: 'lava', firehose: 'title:lava' } });
    expect((await test.rehearse({ rule_id, platforms: ['firehose'] })).queries).toEqual({ firehose: 'title:lava' });
    const { rule_id: alone } = await test.create({ platforms: ['x'], overrides: { x: 'ash' }, options: undefined });
    expect(await issues(test.rehearse({ rule_id: alone, platforms: ['firehose'] }))).toEqual([
      ['platforms', 'The rule is not on firehose.'],
    ]);
    const bob = await test.caller('bob');
    const theirs = test.call(bob, 'rehearseRule', { rule_id, history: { kind: 'recent' } });
    await expect(theirs).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is of a rule or of texts, and names the platforms of the texts', async () => {
    await using test = await stage();
    const { rule_id } = await test.create();
    expect(await issues(test.rehearse({}))).toEqual([['rule_id', expect.stringContaining('Give either')]]);
    expect(await issues(test.rehearse({ rule_id, ...lava }))).toEqual([['rule_id', expect.any(String)]]);
    expect(await issues(test.rehearse({ overrides: { x: 'lava' } }))).toEqual([
      ['platforms', expect.stringContaining('It is required')],
    ]);
    expect(await issues(test.rehearse({ platforms: ['x'], overrides: { x: '(lava' } }))).toMatchObject([
      ['overrides.x', expect.any(String)],
    ]);
  });

  it('is one of a few that wait or run', async () => {
    await using test = await stage();
    for (let one = 0; one < MAX_REHEARSALS.unfinished; one++) await test.rehearse(lava);
    await expect(test.rehearse(lava)).rejects.toMatchObject({
      code: 'resource_exhausted',
      details: { limit_code: 'rehearsals' },
    });
  });
});

describe('the history of a rehearsal', () => {
  const spanOf = (milliseconds: number) => ({
    kind: 'archive',
    from: NOW,
    to: new Date(Date.parse(NOW) + milliseconds).toISOString(),
  });

  it('of an archive is a time of some days, where there is an archive', async () => {
    await using test = await stage({ archive: {} });
    const asked = (milliseconds: number) => issues(test.rehearse({ ...lava, history: spanOf(milliseconds) }));
    expect(await asked(0)).toEqual([['history.to', 'Must be after `from`.']]);
    expect(await asked(-1)).toEqual([['history.to', 'Must be after `from`.']]);
    expect(await asked(MAX_ARCHIVE_DAYS * DAY + 1)).toEqual([
      ['history.to', `Must be at most ${MAX_ARCHIVE_DAYS} days after \`from\`.`],
    ]);
    expect(await asked(1)).toEqual([]);
    expect(await asked(MAX_ARCHIVE_DAYS * DAY)).toEqual([]);
  });

  it('is refused where the operator has set none', async () => {
    await using test = await stage();
    await expect(test.rehearse({ ...lava, history: spanOf(1) })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('SLUICE_JETSTREAM_KEY'),
    });
    await expect(test.rehearse({ ...lava, history: { kind: 'file', file: 'f' } })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('SLUICE_HISTORY'),
    });
  });

  it('of a file is looked at first', async () => {
    const answers: (Error | undefined)[] = [undefined, new HistoryError('There is no such file.'), new Error('defect')];
    const checked: string[] = [];
    const check = async (file: string) => {
      checked.push(file);
      const error = answers.shift();
      if (error !== undefined) throw error;
    };
    await using test = await stage({ files: { check } });
    const asked = (file: string) => test.rehearse({ ...lava, history: { kind: 'file', file } });
    expect((await asked('one')).history).toEqual({ kind: 'file', file: 'one' });
    expect(await issues(asked('two'))).toEqual([['history.file', 'There is no such file.']]);
    await expect(asked('three')).rejects.not.toMatchObject({ code: 'invalid_argument' });
    expect(checked).toEqual(['one', 'two', 'three']);
  });
});

describe('a rehearsal that is cancelled', () => {
  it('ends now, once, and the matcher that runs it is told', async () => {
    await using test = await stage();
    const told = vi.spyOn(test.service.context.rehearsals, 'cancelled');
    const { id } = await test.rehearse(lava);
    const cancel = (rehearsal_id: string) => test.call(test.ada, 'cancelRehearsal', { rehearsal_id });
    for (const _ of [1, 2]) expect(await cancel(id)).toMatchObject({ id, status: 'cancelled', ended_at: NOW });
    expect(told.mock.calls).toEqual([[id]]);
    const missing = { code: 'not_found', message: expect.stringContaining('List Rehearsals has them.') };
    await expect(cancel('reh_01k3zq8m7e5w9c2t4r6y8p0a1b')).rejects.toMatchObject(missing);
    const get = test.call(test.ada, 'getRehearsal', { rehearsal_id: 'reh_01k3zq8m7e5w9c2t4r6y8p0a1b' });
    await expect(get).rejects.toMatchObject(missing);
  });
});
