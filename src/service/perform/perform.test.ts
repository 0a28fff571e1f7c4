import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { ServiceError } from '../errors.ts';
import type { Operation, RequestInfo } from './operation.ts';
import { allow, checkInput, mayUse, perform, performStream } from './perform.ts';

const callerWith = (scope: 'read' | 'full' | 'ingest', more: object = {}): Caller =>
  ({ account: { name: 'alice' }, key: { scope }, ...more }) as Caller;
const grantOf = (ruleIds?: string[]) => ({ scopes: ['read'], ruleIds, tokenDigest: '' });
const REQUEST: RequestInfo = { idempotencyKey: undefined, signal: new AbortController().signal };

const issuesOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as ServiceError).details?.['issues'] as { path: string; message: string }[];
  }
  throw new Error('It was taken.');
};

describe('who may call an operation', () => {
  it.each([
    ['read', [true, true, false]],
    ['full', [false, true, false]],
    ['ingest', [false, true, true]],
    ['operator', [false, false, false]],
  ] as const)('that needs %s: a key that reads, a full one, one that pushes: %j', (access, expected) => {
    const allowed = (['read', 'full', 'ingest'] as const).map((scope) => mayUse({ access }, callerWith(scope)));
    expect(allowed).toEqual(expected);
  });

  it('is the operator with a full key alone', () => {
    const account = { name: 'default' };
    expect(mayUse({ access: 'operator' }, callerWith('full', { account }))).toBe(true);
    expect(mayUse({ access: 'operator' }, callerWith('read', { account }))).toBe(false);
    expect(mayUse({ access: 'operator' }, callerWith('full', { account, grant: grantOf() }))).toBe(false);
  });

  it('is an agent only where grants reach, and one that is limited to rules only where rules are', () => {
    const agent = callerWith('full', { grant: grantOf() });
    const limited = callerWith('full', { grant: grantOf(['r']) });
    const reach = [undefined, 'account', 'rules'] as const;
    const each = (who: Caller) => reach.map((grants) => mayUse({ access: 'read', ...(grants && { grants }) }, who));
    expect([each(agent), each(limited)]).toEqual([
      [false, true, true],
      [false, false, true],
    ]);
  });

  it('is told what is missing', () => {
    const refused = (access: Operation['access'], who: Caller, more: object = {}) => {
      try {
        allow({ access, ...more }, who);
      } catch (error) {
        return [(error as ServiceError).code, (error as ServiceError).message, (error as ServiceError).details];
      }
      return undefined;
    };
    expect(refused('full', callerWith('read'))).toEqual([
      'permission_denied',
      'This needs a key of scope `full`.',
      { scope: 'read' },
    ]);
    expect(refused('operator', callerWith('full'))![1]).toBe("This needs a full key of the operator's account.");
    expect(refused('read', callerWith('full', { grant: grantOf() }))![1]).toContain('Use an API key');
    const limited = callerWith('full', { grant: grantOf(['r']) });
    expect(refused('read', limited, { grants: 'account' })![1]).toContain('limited to some rules');
    expect(refused('read', callerWith('read'))).toBeUndefined();
  });
});

describe('an input', () => {
  const schema = z.strictObject({
    name: z.string().min(2).max(4),
    count: z.int().min(1).max(9).optional(),
    flag: z.boolean().optional(),
    list: z.array(z.string()).min(1).max(2).optional(),
    inner: z.strictObject({ deep: z.number().optional() }).optional(),
    none: z.strictObject({}).optional(),
  });

  it('is what the schema makes of it', () => {
    expect(checkInput(schema, { name: 'ada', count: null })).toEqual({ name: 'ada' });
  });

  it.each([
    [{}, 'name', '`name`: It is required.'],
    [{ name: 1 }, 'name', '`name`: It must be a string.'],
    [{ name: 'a' }, 'name', '`name`: It must have 2 or more characters.'],
    [{ name: 'abcde' }, 'name', '`name`: It must have 4 or fewer characters.'],
    [{ name: 'ada', count: 0 }, 'count', '`count`: It must be at least 1.'],
    [{ name: 'ada', count: 10 }, 'count', '`count`: It must be at most 9.'],
    [{ name: 'ada', count: 1.5 }, 'count', '`count`: It must be a whole number.'],
    [{ name: 'ada', list: [] }, 'list', '`list`: It must have 1 or more values.'],
    [{ name: 'ada', list: ['a', 'b', 'c'] }, 'list', '`list`: It must have 2 or fewer values.'],
    [{ name: 'ada', list: 'a' }, 'list', '`list`: It must be an array.'],
    [{ name: 'ada', list: [1] }, 'list.0', '`list.0`: It must be a string.'],
    [{ name: 'ada', inner: 1 }, 'inner', '`inner`: It must be an object.'],
    [
      { name: 'ada', nmae: 1 },
      'nmae',
      '`nmae`: There is no such field. There are: name, count, flag, list, inner, none.',
    ],
    [{ name: 'ada', inner: { x: 1 } }, 'inner.x', '`inner.x`: There is no such field. There are: deep.'],
    [{ name: 'ada', none: { x: 1 } }, 'none.x', '`none.x`: There is no such field. It takes none.'],
    [7, '', 'It must be an object.'],
  ])('of %j is refused at `%s`', (input, path, message) => {
    expect(issuesOf(() => checkInput(schema, input))).toEqual([{ path, message }]);
  });

  it('is answered with a hundred problems at most, and with how many more there are', () => {
    const input = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
    const issues = issuesOf(() => checkInput(schema, { name: 'ada', ...input }));
    expect(issues).toHaveLength(101);
    expect(issues.slice(-2)).toEqual([
      { path: 'k99', message: expect.stringContaining('no such field') },
      { path: '', message: 'There are 4900 more problems.' },
    ]);
  });

  it('names every field that is not there, cut to a hundred characters', () => {
    const long = 'x'.repeat(200);
    const issues = issuesOf(() => checkInput(schema, { name: 'ada', [long]: 1, other: 2 }));
    expect(issues.map(({ path }) => path)).toEqual(['x'.repeat(100), 'other']);
  });
});

describe('an operation', () => {
  const operationOf = (change: object = {}) =>
    ({
      access: 'read',
      input: z.strictObject({ name: z.string(), size: z.int().min(1).max(5).optional() }),
      run: async (_: unknown, __: unknown, input: unknown) => ({ answered: input }),
      ...change,
    }) as unknown as Operation;
  const call = (operation: Operation, input: unknown, scope: 'read' | 'ingest' = 'read') =>
    perform({} as never, operation, callerWith(scope), input, REQUEST);

  it('runs with the input that was read', async () => {
    expect(await call(operationOf(), { name: 'a', size: null })).toEqual({ answered: { name: 'a' } });
    const long = { name: 'a'.repeat(2_000) };
    expect(await call(operationOf({ problems: () => [] }), long)).toEqual({ answered: long });
  });

  it('checks who calls before what is asked', async () => {
    await expect(call(operationOf(), { wrong: 1 }, 'ingest')).rejects.toMatchObject({ code: 'permission_denied' });
  });

  it('tells all that is wrong at once, its own problems too, and names each field', async () => {
    const position = { start: 0, end: 1, line: 1, column: 1 };
    const problems = () => [
      { path: 'rule', message: 'As it is.', position },
      { path: 'other', message: 'It is odd.' },
    ];
    const work = call(operationOf({ problems }), { size: 9 });
    const issues = [
      { path: 'name', message: '`name`: It is required.' },
      { path: 'size', message: '`size`: It must be at most 5.' },
      { path: 'rule', message: 'As it is.', position },
      { path: 'other', message: '`other`: It is odd.' },
    ];
    await expect(work).rejects.toMatchObject({
      code: 'invalid_argument',
      message: issues[0]!.message,
      details: { issues },
    });
  });

  it('names the limit that is ours for a number beyond all whole ones', async () => {
    const work = call(operationOf(), { name: 'a', size: 1e300 });
    await expect(work).rejects.toMatchObject({
      details: { issues: [{ path: 'size', message: '`size`: It must be at most 5.' }] },
    });
  });

  it('answers with an error of the service, whatever is thrown', async () => {
    const failing = operationOf({ run: () => Promise.reject(new Error('a defect')) });
    await expect(call(failing, { name: 'a' })).rejects.toThrow('a defect');
    const known = new ServiceError('not_found', 'There is none.');
    await expect(call(operationOf({ run: () => Promise.reject(known) }), { name: 'a' })).rejects.toBe(known);
  });

  it('in slices checks the same before the first of them', async () => {
    const stream = {
      async *slices(_: unknown, __: unknown, input: unknown) {
        yield [input];
        yield ['end'];
      },
    };
    const read = async (input: unknown, scope: 'read' | 'ingest' = 'read') => {
      const found: unknown[] = [];
      const operation = operationOf({ stream }) as Parameters<typeof performStream>[1];
      for await (const slice of performStream({} as never, operation, callerWith(scope), input, REQUEST))
        found.push(...slice);
      return found;
    };
    expect(await read({ name: 'a' })).toEqual([{ name: 'a' }, 'end']);
    await expect(read({})).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(read({ name: 'a' }, 'ingest')).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
