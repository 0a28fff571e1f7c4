/**
 * PostgreSQL: rules are rows with a `tsquery`, an event is a `tsvector`. No index answers which queries a text satisfies (GIN has no
 * class for `tsquery`, and that of GiST compares queries with queries), so either every row is looked at, or a GIN index over
 * an array of the rarest words that each rule needs finds the rows worth a look.
 */
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { startPostgres } from '../../test/stages/postgres.ts';
import { type FieldText, type Peer, type PeerReport, type PeerTask, type PeerTurn, TEXT_FIELDS } from './peer.ts';
import { toLexeme, toTsquery } from './postgres-form.ts';

/** Events of one statement: what a statement costs by itself is shared by them. Fewer where each takes long, so that a turn ends in time. */
const BATCH = { byKeys: 50, every: 5 };
const BETWEEN = '\x1f';

export const postgresPeers: readonly Peer[] = [
  { name: 'PostgreSQL, every tsquery', missing: isLinux, run: (task) => runPostgres(task, BATCH.every, '') },
  {
    name: 'PostgreSQL, tsquery behind GIN of rarest words',
    missing: isLinux,
    run: (task) => runPostgres(task, BATCH.byKeys, 'keys && event.words AND'),
  },
];

/** The CPU time of a process is read from `/proc`. */
function isLinux(): string | undefined {
  return process.platform === 'linux' ? undefined : 'needs Linux: CPU time is read from /proc';
}

async function runPostgres(task: PeerTask, batch: number, byKeys: string): Promise<PeerReport | undefined> {
  const fields = new Set(task.events.flatMap((event) => event.map(({ field }) => field)));
  const weighted = TEXT_FIELDS[task.platform].every((field) => fields.has(field));
  const rules = task.rules.flatMap(({ number, query, keys }) => {
    const text = toTsquery(query, task.platform, weighted);
    const lexemes = keys.map((key) => toLexeme(key, task.platform)).join(BETWEEN);
    return text === undefined || (byKeys !== '' && keys.length === 0) ? [] : [{ number, text, lexemes }];
  });
  if (rules.length === 0) return undefined;
  await using server = await startPostgres();
  const client = await connect(await server.newDatabase());
  try {
    const cpu = await cpuOfBackend(client);
    const began = cpu();
    await load(client, rules);
    const loadSeconds = (cpu() - began) / 1e6;
    const ask = (events: readonly (readonly FieldText[])[]) => askEvents(client, task, byKeys, events);
    const found = await compare(task, batch, cpu, ask);
    const turns: PeerTurn[] = [];
    for (let turn = 0; turn < task.turns; turn++) turns.push(await takeTurn(task, batch, cpu, ask));
    return {
      loadSeconds,
      bytes: await bytesOfRules(client),
      turns,
      found,
      whole: new Set(rules.map(({ number }) => number)),
    };
  } finally {
    await client.end();
  }
}

async function bytesOfRules(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(`SELECT pg_total_relation_size('rules') AS bytes`);
  return Number(rows[0]!.bytes);
}

/** In a database whose case folding is that of Unicode. */
async function connect(url: string): Promise<Client> {
  const first = new Client({ connectionString: url });
  await first.connect();
  await first.query(
    `CREATE DATABASE peers TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C'`,
  );
  await first.end();
  const address = new URL(url);
  address.pathname = '/peers';
  const client = new Client({ connectionString: address.href });
  await client.connect();
  return client;
}

/** CPU microseconds of the process that serves this connection. */
async function cpuOfBackend(client: Client): Promise<() => number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const path = `/proc/${rows[0]!.pid}/schedstat`;
  return () => Number(readFileSync(path, 'utf8').split(' ')[0]) / 1_000;
}

async function load(
  client: Client,
  rules: readonly { readonly number: number; readonly text: string; readonly lexemes: string }[],
): Promise<void> {
  await client.query('SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = 65536');
  await client.query('SET max_parallel_maintenance_workers = 0; SET maintenance_work_mem = 262144');
  await client.query('CREATE TABLE rules (number integer, query tsquery, keys text[])');
  await client.query(
    `INSERT INTO rules SELECT number, text::tsquery, string_to_array(lexemes, chr(31))
     FROM unnest($1::integer[], $2::text[], $3::text[]) AS rule (number, text, lexemes)`,
    [rules.map(({ number }) => number), rules.map(({ text }) => text), rules.map(({ lexemes }) => lexemes)],
  );
  await client.query('CREATE INDEX ON rules USING gin (keys)');
  await client.query('VACUUM ANALYZE rules');
  // With few rules the planner would rather read them all, which costs more.
  await client.query('SET enable_seqscan = off');
}

type Ask = (events: readonly (readonly FieldText[])[]) => Promise<{ event: number; rule: number }[]>;

async function askEvents(
  client: Client,
  { platform }: PeerTask,
  byKeys: string,
  events: readonly (readonly FieldText[])[],
): Promise<{ event: number; rule: number }[]> {
  const [plain, other] = TEXT_FIELDS[platform].map((name) =>
    events.map((event) => event.flatMap(({ field, text }) => (field === name ? [text] : [])).join(' ')),
  );
  const values = events.map((event) =>
    event
      .filter(({ field }) => !TEXT_FIELDS[platform].includes(field))
      .map((value) => toLexeme(value, platform))
      .join(BETWEEN),
  );
  const { rows } = await client.query<{ event: number; rule: number }>({
    name: 'ask',
    text: `SELECT event.place::integer AS event, rules.number AS rule
      FROM (SELECT place, vector, tsvector_to_array(vector) AS words
            FROM (SELECT place, to_tsvector('simple', plain) || setweight(to_tsvector('simple', other), 'A')
                    || array_to_tsvector(string_to_array(exact, chr(31))) AS vector
                  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS sent (plain, other, exact, place)
                  OFFSET 0) AS cut
            OFFSET 0) AS event,
        LATERAL (SELECT number FROM rules WHERE ${byKeys} event.vector @@ rules.query) AS rules`,
    values: [plain, other, values],
  });
  return rows;
}

/** The rules of the first events, as far as the budget goes. */
async function compare(task: PeerTask, batch: number, cpu: () => number, ask: Ask): Promise<Set<number>[]> {
  const found: Set<number>[] = [];
  const end = cpu() + task.budgetMilliseconds * 1_000;
  while (found.length < Math.min(task.compared, task.events.length) && cpu() < end) {
    const events = task.events.slice(found.length, Math.min(found.length + batch, task.compared));
    const sets = events.map(() => new Set<number>());
    for (const { event, rule } of await ask(events)) sets[event - 1]!.add(rule);
    found.push(...sets);
  }
  return found;
}

async function takeTurn(task: PeerTask, batch: number, cpu: () => number, ask: Ask): Promise<PeerTurn> {
  const began = cpu();
  let [events, matches] = [0, 0];
  while (events < task.events.length && cpu() - began < task.budgetMilliseconds * 1_000) {
    const next = task.events.slice(events, events + batch);
    matches += (await ask(next)).length;
    events += next.length;
  }
  return { events, micros: cpu() - began, matches };
}
