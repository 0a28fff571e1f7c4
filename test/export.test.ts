/** `GET /export`: the file that comes out, read by two readers that are not ours, and where it ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { EXPORT_COLUMNS } from '../src/domain/match.ts';
import { authenticate } from '../src/service/access/keys.ts';
import { ServiceError } from '../src/service/errors.ts';
import { BOUNDS, EXPORT_FORMATS, exportMatches, RULE_GONE } from '../src/service/matches/export-matches.ts';
import { StoreError } from '../src/store/error.ts';
import type { Store } from '../src/store/store.ts';
import { type App, OPERATOR_KEY, startApp } from './stages/http-app.ts';

const duckdb = await import('@duckdb/node-api').catch(() => undefined);
const headers = { authorization: `Bearer ${OPERATOR_KEY}` };

const HARD_TEXTS = ['lava, "quoted"\nnext line', '=1+1 lava', 'lava \u0000 \u202e 🌋', 'lava'];

interface ListedMatch extends Record<string, unknown> {
  readonly id: string;
}

/** An app with a rule and a match for each text, in this order. */
async function appWith(texts: readonly string[], options: Parameters<typeof startApp>[0] = {}): Promise<App> {
  const app = await startApp(options);
  const payload = { name: 'Lava, "hot"', intent: '', platforms: ['x'], overrides: { x: 'lava' } };
  await app.http.inject({ method: 'POST', url: '/api.CreateRule', headers, payload });
  await app.http.inject({
    method: 'POST',
    url: '/events?platform=x',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    payload: texts.map((text, id) => JSON.stringify({ data: { id: String(id), text } })).join('\n'),
  });
  return app;
}

const get = (app: App, query: string) => app.http.inject({ url: `/export?${query}`, headers });

async function listed(app: App): Promise<ListedMatch[]> {
  const answer = await app.http.inject({ method: 'POST', url: '/matches', headers, payload: {} });
  return answer.json<{ matches: ListedMatch[] }>().matches;
}

const bufferOf = (bytes: Uint8Array): AsyncBuffer => ({
  byteLength: bytes.length,
  slice: async (from, to) => new Uint8Array(bytes.subarray(from, to)).buffer,
});

/** The rows in the shape of a list: JSON read, times as texts, what is absent left out or null as it is there. */
async function rowsOf(bytes: Uint8Array) {
  const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
  const rows = await parquetReadObjects({ file: bufferOf(bytes), compressors });
  return rows.map((row) => ({
    ...row,
    id: row['id'] as string,
    created_at: (row['created_at'] as Date).toISOString(),
    payload: JSON.parse(String(row['payload'])) as unknown,
    highlights: JSON.parse(String(row['highlights'])) as unknown,
  }));
}

const asRow = (match: ListedMatch) =>
  Object.fromEntries(EXPORT_COLUMNS.map(({ name }) => [name, match[name] ?? undefined]));
const withoutNull = (row: object) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? undefined]));

describe('an export', () => {
  it('has in Parquet every field of every match as List Matches has it', async () => {
    await using app = await appWith(HARD_TEXTS);
    const answer = await get(app, 'format=parquet');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/vnd.apache.parquet',
      'content-disposition': 'attachment; filename="matches.parquet"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    const matches = await listed(app);
    expect(matches).toHaveLength(HARD_TEXTS.length);
    expect((await rowsOf(answer.rawPayload)).map(withoutNull)).toEqual(matches.map(asRow));
  });

  it('has the documented columns, and names each type', async () => {
    await using app = await appWith([]);
    const { rawPayload } = await get(app, '');
    const metadata = parquetMetadata(new Uint8Array(rawPayload).buffer);
    const columns = parquetSchema(metadata).children.map(({ element }) => element);
    expect(columns.map(({ name, repetition_type }) => [name, repetition_type === 'OPTIONAL'])).toEqual(
      EXPORT_COLUMNS.map((column) => [column.name, 'optional' in column]),
    );
    expect(metadata.num_rows).toBe(0n);
    expect(metadata.key_value_metadata).toEqual([{ key: 'sluice.version', value: '0.0.0' }]);
  });

  it('has in its footer the first and the last time, and no payload', async () => {
    await using app = await appWith(['lava 1', 'lava 2']);
    const { rawPayload } = await get(app, '');
    const [group] = parquetMetadata(new Uint8Array(rawPayload).buffer).row_groups;
    const known = group!.columns.filter(({ meta_data }) => meta_data?.statistics !== undefined);
    const names = known.map(({ meta_data }) => meta_data!.path_in_schema.join('.'));
    expect(names).toContain('created_at');
    expect(names).not.toContain('payload');
    expect(names).not.toContain('highlights');
  });

  it('has in NDJSON the lines of List Matches, and in CSV one record for each match that no spreadsheet runs', async () => {
    await using app = await appWith(HARD_TEXTS);
    const lines = (await get(app, 'format=ndjson')).body.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(await listed(app));
    const { body } = await get(app, 'format=csv');
    expect(body.split('\n', 1)[0]).toBe(EXPORT_COLUMNS.map(({ name }) => name).join(','));
    const records = body.match(/^match_\w+,.*,"Lava, ""hot""",1,/gm);
    expect(records).toHaveLength(HARD_TEXTS.length);
  });

  it('ends after `limit` matches and says in the trailer and in the footer where to go on', async () => {
    await using app = await appWith(['lava 1', 'lava 2', 'lava 3']);
    const [newest, middle, oldest] = await listed(app);
    const first = await get(app, 'format=parquet&limit=2');
    expect((await rowsOf(first.rawPayload)).map(({ id }) => id)).toEqual([newest!.id, middle!.id]);
    const cursor = first.trailers['sluice-next-cursor'];
    const { key_value_metadata } = parquetMetadata(new Uint8Array(first.rawPayload).buffer);
    expect(key_value_metadata).toContainEqual({ key: 'sluice.next_cursor', value: cursor });
    const rest = await get(app, `format=ndjson&cursor=${cursor}`);
    expect(rest.body.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(rest.body)).toMatchObject({ id: oldest!.id });
    expect(rest.trailers).toEqual({});
  });

  it('ends by the bytes of its payloads, and reads no page before the one before it was taken', async () => {
    let reads = 0;
    const counting = (real: Store): Store => ({
      ...real,
      matches(query) {
        reads++;
        return real.matches(query);
      },
    });
    await using app = await appWith(
      Array.from({ length: 10 }, (_, n) => `lava ${n} ${'x'.repeat(500)}`),
      { store: counting },
    );
    const caller = await authenticate(app.context, OPERATOR_KEY);
    const file = await exportMatches(app.context, caller, { format: 'ndjson' }, new AbortController().signal, {
      ...BOUNDS,
      pageRows: 2,
      bytes: 3_000,
    });
    expect(reads).toBe(1);
    const counts: number[] = [];
    for await (const part of file.parts) {
      counts.push(Buffer.from(part).toString().trimEnd().split('\n').length);
      expect(reads).toBe(counts.length);
    }
    // Three pages of two bring the payloads over 3,000 bytes.
    expect(counts).toEqual([2, 2, 2]);
    expect(file.nextCursor()).toBeTypeOf('string');
  });

  it('of Parquet is written by jobs alone, its end too, so that the writer is loaded in their thread', async () => {
    await using app = await appWith(['lava']);
    const caller = await authenticate(app.context, OPERATOR_KEY);
    const { compute } = app.context;
    const ran: string[] = [];
    const recording: typeof compute.run = (job, input, wish) => {
      ran.push(job.name);
      return compute.run(job, input, wish);
    };
    const context = { ...app.context, compute: { ...compute, run: recording } };
    const file = await exportMatches(context, caller, { format: 'parquet' }, new AbortController().signal);
    for await (const part of file.parts) expect(part.length).toBeGreaterThan(0);
    expect(ran).toEqual(['exportPage', 'exportEnd']);
  });

  it.each(EXPORT_FORMATS)('says at the end of %s that its rule was deleted meanwhile', async (format) => {
    await using app = await appWith(Array.from({ length: 6 }, (_, n) => `lava ${n}`));
    const caller = await authenticate(app.context, OPERATOR_KEY);
    const [match] = await listed(app);
    const ruleId = String(match!['rule_id']);
    const query = { format, rule_id: ruleId };
    const file = await exportMatches(app.context, caller, query, new AbortController().signal, {
      ...BOUNDS,
      pageRows: 2,
    });
    const parts: Uint8Array[] = [];
    for await (const part of file.parts) {
      if (file.rows() === 4) await app.store.deleteRule(caller.account.id, ruleId);
      parts.push(part);
    }
    const end = Buffer.from(parts.at(-1)!).toString();
    expect([file.rows(), file.nextCursor()]).toEqual([4, undefined]);
    expect(end).toContain(format === 'ndjson' ? JSON.stringify({ incomplete: RULE_GONE }) : RULE_GONE);
  });

  it('ends when its key is gone, also while nothing was found yet', async () => {
    await using app = await appWith(['lava']);
    const caller = await authenticate(app.context, OPERATOR_KEY);
    const gone = { ...caller, key: { ...caller.key, id: 'key_gone' } };
    let pages = 0;
    const run = async () => ({ bytes: new Uint8Array(), rows: 0, payloadBytes: 0, next: ++pages < 3 ? 1 : undefined });
    const context = { ...app.context, compute: { run: run as never } };
    await expect(
      exportMatches(context, gone, { format: 'ndjson' }, new AbortController().signal),
    ).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    expect(pages).toBe(1);
  });

  it('is counted with its matches and its bytes, and as cut off when the store fails half-way', async () => {
    const counted: unknown[] = [];
    /** Pages of two that are still answered. */
    let pages = Number.POSITIVE_INFINITY;
    const failing = (real: Store): Store => ({
      ...real,
      async matches(query) {
        if (pages-- === 0) throw new StoreError('busy', 'The store is busy.');
        return real.matches({ ...query, limit: Math.min(query.limit, 2) });
      },
    });
    await using app = await appWith(HARD_TEXTS, { store: failing, exported: (...one) => void counted.push(one) });
    const { rawPayload } = await get(app, 'format=ndjson&limit=3');
    expect(counted).toEqual([['ndjson', { rows: 3, bytes: rawPayload.length }, true]]);
    pages = 1;
    await expect(get(app, 'format=csv')).rejects.toThrow('response destroyed before completion');
    expect(counted[1]).toEqual(['csv', { rows: 2, bytes: expect.any(Number) }, false]);
  });

  it('takes the filters of List Matches, and refuses what List Matches refuses', async () => {
    await using app = await appWith(['lava one', 'lava two']);
    expect((await get(app, 'format=ndjson&text=TWO')).body).toContain('lava two');
    expect((await get(app, 'format=ndjson&text=TWO')).body).not.toContain('lava one');
    expect((await get(app, 'format=ndjson&platform=firehose')).body).toBe('');
    for (const [query, path] of [
      ['format=xml', 'format'],
      ['limit=0', 'limit'],
      ['limit=100001', 'limit'],
      ['limit=many', 'limit'],
      ['cursor=made-up', 'cursor'],
      ['nonsense=1', 'nonsense'],
    ] as const) {
      const answer = await get(app, query);
      expect(answer.statusCode).toBe(400);
      expect(answer.json<{ details: { issues: { path: string }[] } }>().details.issues[0]!.path).toBe(path);
    }
    expect((await get(app, 'rule_id=rule_00000000000000000000000000')).statusCode).toBe(404);
  });

  it.each(EXPORT_FORMATS)(
    'in %s is refused before its first byte when its first page cannot be read',
    async (format) => {
      await using app = await appWith(['lava']);
      expect((await get(app, `format=${format}&cursor=made-up`)).statusCode).toBe(400);
      expect((await get(app, `format=${format}&rule_id=rule_00000000000000000000000000`)).statusCode).toBe(404);
      const caller = await authenticate(app.context, OPERATOR_KEY);
      const full = () => Promise.reject(new ServiceError('resource_exhausted', 'Too much is under way.'));
      const context = { ...app.context, compute: { run: full } };
      await expect(exportMatches(context, caller, { format }, new AbortController().signal)).rejects.toMatchObject({
        code: 'resource_exhausted',
      });
    },
  );

  it('has in CSV its header once: with the first page, or alone where that is empty', async () => {
    let isFirst = true;
    const store = (real: Store): Store => ({
      ...real,
      async matches(query) {
        const page = await real.matches(query);
        if (!isFirst) return page;
        isFirst = false;
        return { ...page, matches: [] };
      },
    });
    await using app = await appWith(['lava 1', 'lava 2', 'lava 3'], { store });
    const caller = await authenticate(app.context, OPERATOR_KEY);
    const parts = async () => {
      const bounds = { ...BOUNDS, pageRows: 1 };
      const file = await exportMatches(app.context, caller, { format: 'csv' }, new AbortController().signal, bounds);
      const found: string[][] = [];
      for await (const part of file.parts) {
        const text = Buffer.from(part).toString();
        found.push(Array.from(text.matchAll(/^(?:id,|match_)|lava \d/gm), ([begin]) => begin));
      }
      return found;
    };
    expect(await parts()).toEqual([['id,'], ['match_', 'lava 2'], ['match_', 'lava 1']]);
    expect(await parts()).toEqual([
      ['id,', 'match_', 'lava 3'],
      ['match_', 'lava 2'],
      ['match_', 'lava 1'],
    ]);
    expect((await get(app, 'format=csv&text=ash')).body).toBe(`${EXPORT_COLUMNS.map(({ name }) => name).join(',')}\n`);
  });

  it('is of the own account, needs a key or a ticket that is good for one download, and has no HEAD', async () => {
    await using app = await appWith(['lava']);
    const other = await app.newAccount('other');
    const theirs = await app.http.inject({
      url: '/export?format=ndjson',
      headers: { authorization: `Bearer ${other}` },
    });
    expect([theirs.statusCode, theirs.body]).toEqual([200, '']);
    expect((await app.http.inject('/export')).statusCode).toBe(401);
    expect((await app.http.inject({ method: 'HEAD', url: '/export', headers })).statusCode).toBe(405);
    const made = await app.http.inject({ method: 'POST', url: '/api.CreateStreamTicket', headers, payload: {} });
    const { ticket } = made.json<{ ticket: string }>();
    const url = `/export?format=ndjson&ticket=${ticket}`;
    expect((await app.http.inject(url)).body).toContain('lava');
    expect((await app.http.inject(url)).statusCode).toBe(401);
  });

  it('counts as the CPU that it takes, and at most four of an account are under way', async () => {
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const held = (real: Store): Store => ({
      ...real,
      async matches(query) {
        if (isHeld) await gate.promise;
        return real.matches(query);
      },
    });
    await using app = await appWith(['lava'], { store: held });
    isHeld = true;
    const running = Array.from({ length: 4 }, () => get(app, 'format=ndjson'));
    // Admission takes turns of the event loop; a fifth that comes after them is refused as soon as four are in.
    let refused = await get(app, 'format=nonsense');
    while (refused.statusCode === 400) refused = await get(app, 'format=nonsense');
    expect(refused.json()).toMatchObject({ code: 'resource_exhausted', details: { limit_code: 'exports', limit: 4 } });
    gate.resolve();
    for (const answer of await Promise.all(running)) expect(answer.statusCode).toBe(200);
    expect((await get(app, 'format=ndjson')).statusCode).toBe(200);

    await using limited = await startApp({ rateLimit: 600 });
    const charged: number[] = [];
    limited.context.cpuUse.listen((_, milliseconds) => void charged.push(milliseconds));
    const { headers: told } = await get(limited, 'format=ndjson');
    expect(told['ratelimit']).toContain('"burst";r=99;');
    expect(charged).toEqual([expect.any(Number)]);
  });
});

describe.skipIf(duckdb === undefined)('duckdb: an export', () => {
  it('is a table to DuckDB, with types, times and JSON that it can query', async () => {
    await using app = await appWith(HARD_TEXTS);
    const folder = mkdtempSync(join(tmpdir(), 'sluice-export-'));
    const path = join(folder, 'matches.parquet');
    writeFileSync(path, (await get(app, 'format=parquet')).rawPayload);
    const instance = await duckdb!.DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    try {
      const ask = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson();
      expect(await ask(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${path}')`)).toEqual(
        EXPORT_COLUMNS.map(({ name, type }) => [name, DUCKDB_TYPES[type]]),
      );
      const texts = await ask(`SELECT json_extract_string(payload, '$.data.text') FROM '${path}' ORDER BY id`);
      expect(texts.flat()).toEqual(HARD_TEXTS);
      expect(
        await ask(
          `SELECT count(*), count(DISTINCT story_id), max(epoch_ms(created_at)), bool_and(demo IS NULL) FROM '${path}'`,
        ),
      ).toEqual([[String(HARD_TEXTS.length), expect.any(String), String(app.clock.now().getTime()), true]]);
    } finally {
      connection.closeSync();
      instance.closeSync();
      rmSync(folder, { recursive: true });
    }
  });
});

const DUCKDB_TYPES = {
  text: 'VARCHAR',
  json: 'VARCHAR',
  time: 'TIMESTAMP WITH TIME ZONE',
  integer: 'INTEGER',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
};
