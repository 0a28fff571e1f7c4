/**
 * Three nodes on PostgreSQL visit the sources of accounts while one after another is killed or frozen in the middle of a round. Every
 * feed has one item more in each round. In the end every item is a match, none of them twice; and the stand-in web has counted that no
 * host was asked twice at a time, sooner than the pause, or more than once in a round beside the visit that the fault cut short; and that
 * ten seconds after a fault every host had been asked, by a node that lives.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pick, type Random, randomFrom } from '../../bench/random.ts';
import { startPostgresWithTables } from '../stages/postgres.ts';
import { type SourceNode, startSourceNode } from '../stages/source-process.ts';
import { openWeb, rss, type Web } from '../stages/web.ts';

interface SourcesResult {
  readonly faults: number;
  readonly kills: number;
  readonly expected: number;
  readonly missing: readonly string[];
  readonly twice: readonly string[];
  /** The requests that a host should not have been asked. */
  readonly rude: readonly string[];
  /** From a fault until the last host was asked for what is new, the longest: another node has taken its place. */
  readonly takeoverMs: number;
  /** From a fault until the round was whole, the longest. */
  readonly longestMs: number;
}

interface SourcesOptions {
  readonly faults: number;
  readonly seed: number;
  readonly report: (line: string) => void;
}

const NODES = 3;
const HOSTS = Array.from({ length: 24 }, (_, at) => `host${at}.example`);
const ROUND_MS = 10 * 60_000;
const PAUSE_MS = 1_000;
/** The web counts arrivals, which are not as exact as the node's clock. */
const SLACK_MS = 100;
const PATIENCE_MS = 120_000;
const TAKEOVER_MS = 10_000;
/** After this a round is nearly over. */
const FAULT_WITHIN_MS = 600;
const itemsOf = (host: string, round: number) => Array.from({ length: round }, (_, at) => `lava ${host} ${at}`);

export async function sourcesCampaign({ faults = 40, seed = 1 }: { faults?: number; seed?: number }): Promise<boolean> {
  const result = await visitUnderFire({ faults, seed, report: (line) => console.log(line) });
  console.log(JSON.stringify(result));
  const isKept = result.missing.length + result.twice.length + result.rude.length === 0;
  return isKept && result.takeoverMs <= TAKEOVER_MS;
}

async function visitUnderFire({ faults, seed, report }: SourcesOptions): Promise<SourcesResult> {
  const random = randomFrom(seed);
  const watched = watchHosts();
  await using server = await startPostgresWithTables();
  await using web = await openWeb(watched.answer);
  await using parts = new AsyncDisposableStack();
  const url = await server.newDatabase();
  const database = new pg.Client(url);
  await database.connect();
  parts.defer(() => database.end());
  const stage: Stage = { web, url, watched, database, nodes: [], started: 0, ahead: 0, random };
  parts.defer(async () => void (await Promise.all(stage.nodes.map((node) => node.kill()))));
  for (let at = 0; at < NODES; at++) stage.nodes.push(await startNode(stage));
  await stage.nodes[0]!.ask({ do: 'rule', word: 'lava' });
  await stage.nodes[0]!.ask({ do: 'add', hosts: HOSTS });
  await untilWhole(stage);
  let kills = 0;
  let told = 0;
  let longestMs = 0;
  let takeoverMs = 0;
  for (let fault = 1; fault <= faults; fault++) {
    const isKill = fault % 2 === 0;
    if (isKill) kills++;
    const { took, replaced } = await faultedRound(stage, isKill);
    longestMs = Math.max(longestMs, took);
    takeoverMs = Math.max(takeoverMs, replaced);
    report(`${fault}: ${isKill ? 'killed' : 'frozen'}, all asked after ${replaced} ms, whole after ${took} ms`);
    for (const line of watched.rude.slice(told)) report(line);
    told = watched.rude.length;
  }
  const found = await titlesIn(database);
  const expected = HOSTS.flatMap((host) => itemsOf(host, watched.round));
  const known = new Set(found);
  return {
    faults,
    kills,
    expected: expected.length,
    missing: expected.filter((title) => !known.has(title)),
    twice: found.filter((title, at) => found.indexOf(title) !== at),
    rude: watched.rude,
    takeoverMs,
    longestMs,
  };
}

interface Stage {
  readonly web: Web;
  readonly url: string;
  readonly watched: Watched;
  readonly database: pg.Client;
  readonly nodes: SourceNode[];
  readonly random: Random;
  started: number;
  /** How far the clock of the nodes was moved. */
  ahead: number;
}

async function startNode(stage: Stage): Promise<SourceNode> {
  const name = `node-${++stage.started}`;
  const node = await startSourceNode({ store: stage.url, port: stage.web.port, name, pauseMs: PAUSE_MS });
  await node.ask({ do: 'forward', milliseconds: stage.ahead });
  return node;
}

/** One item more everywhere; a node goes, or stands still, while they are read. Milliseconds until all were asked, and all was stored. */
async function faultedRound(stage: Stage, isKill: boolean): Promise<{ took: number; replaced: number }> {
  const { nodes, watched, random } = stage;
  watched.begin();
  stage.ahead += ROUND_MS;
  for (const node of nodes) node.tell({ do: 'forward', milliseconds: ROUND_MS });
  await pause(random() * FAULT_WITHIN_MS);
  const hit = pick(random, nodes);
  const since = performance.now();
  if (isKill) await hit.kill();
  else hit.signal('SIGSTOP');
  await untilWhole(stage);
  const took = Math.round(performance.now() - since);
  const replaced = Math.max(0, Math.round(watched.lastAt - since));
  if (isKill) nodes.splice(nodes.indexOf(hit), 1, await startNode(stage));
  else hit.signal('SIGCONT');
  return { took, replaced };
}

async function untilWhole({ database, watched }: Stage): Promise<void> {
  const wanted = HOSTS.length * watched.round;
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await database.query<{ stored: string }>('SELECT count(*) AS stored FROM matches');
    if (Number(rows[0]!.stored) >= wanted) return;
    if (performance.now() > end) throw new Error(`${rows[0]!.stored} of ${wanted} matches after ${PATIENCE_MS} ms`);
    await pause(200);
  }
}

async function titlesIn(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ payload: string }>(
    'SELECT e.payload FROM matches m JOIN events e ON e.number = m.event',
  );
  return rows.map(({ payload }) => (JSON.parse(payload) as { title: string }).title);
}

interface Watched {
  readonly round: number;
  readonly rude: readonly string[];
  /** When the last request came. */
  readonly lastAt: number;
  begin(): void;
  readonly answer: Parameters<typeof openWeb>[0];
}

/** Feeds of one item a round, and what hosts were asked that they should not have been. */
function watchHosts(): Watched {
  const rude: string[] = [];
  const hosts = new Map<string, { underWay: number; last: number; inRound: number }>();
  let round = 1;
  let lastAt = 0;
  return {
    get round() {
      return round;
    },
    get lastAt() {
      return lastAt;
    },
    rude,
    begin() {
      round++;
      for (const host of hosts.values()) host.inRound = 0;
    },
    async answer({ host, path }) {
      const known = hosts.get(host) ?? { underWay: 0, last: Number.NEGATIVE_INFINITY, inRound: 0 };
      hosts.set(host, known);
      const now = performance.now();
      if (known.underWay > 0) rude.push(`round ${round}: ${host} is asked twice at a time`);
      if (now - known.last < PAUSE_MS - SLACK_MS) rude.push(`round ${round}: ${host} after ${now - known.last} ms`);
      if (path !== '/robots.txt' && ++known.inRound > 2)
        rude.push(`round ${round}: ${host} is asked ${known.inRound} times`);
      known.last = lastAt = now;
      known.underWay++;
      await pause(50);
      known.underWay--;
      return path === '/robots.txt' ? { status: 404 } : rss(itemsOf(host, round).toReversed());
    },
  };
}
