/**
 * The bare loop that readers are measured against, as a program of its own: it reads the rows that an answer is made of with
 * prepared statements, and writes bytes that it was given. It uses nothing of the product, so that the product cannot make it slow.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';

/** Questions with the same answer. A page of matches has those below a position. */
export interface BarePage {
  readonly bodies: readonly string[];
  readonly below: number;
  readonly answer: string;
}

export interface BareOrder {
  readonly database: string;
  /** How many matches or stories an answer has. */
  readonly limit: number;
  readonly matches: readonly BarePage[];
  readonly stories: readonly BarePage[];
  /** The address that batches go to, and the text of each. */
  readonly receiver?: string;
  readonly batch?: string;
  /** A database of its own, where it keeps what it sent. */
  readonly scratch?: string;
}

const order = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as BareOrder;
const { limit } = order;
const db = new DatabaseSync(order.database, { readOnly: true });
const account = Number(db.prepare(`SELECT number FROM accounts WHERE name = '"default"'`).get()!['number']);

const MATCH = `SELECT m.*, r.id AS rule_id, r.name, r.relevance_version, e.post_id, e.payload, e.source, t.rating, j.judgement, p.value, p.flags,
    (SELECT min(first) FROM story_parts s WHERE s.story = m.story) AS began
  FROM matches m JOIN rules r ON r.number = m.rule JOIN events e ON e.number = m.event
  LEFT JOIN ratings t ON t.position = m.position LEFT JOIN judgements j ON j.position = m.position
  LEFT JOIN rule_platforms p ON p.rule = m.rule AND p.platform = m.platform`;
const statements = {
  page: db.prepare(
    `${MATCH} WHERE m.account = ? AND m.platform = 'x' AND m.position < ? ORDER BY m.position DESC LIMIT ?`,
  ),
  match: db.prepare(`${MATCH} WHERE m.position = ?`),
  told: db.prepare(
    `SELECT story, position FROM matches WHERE account = ? AND platform = 'x' AND position < ? ORDER BY position DESC`,
  ),
  parts: db.prepare('SELECT p.*, r.id FROM story_parts p JOIN rules r ON r.number = p.rule WHERE p.story = ?'),
  single: db.prepare(
    `SELECT m.position AS first, r.id FROM matches m JOIN rules r ON r.number = m.rule WHERE m.story = ? AND m.platform = 'x'`,
  ),
  owed: db.prepare(
    `SELECT o.position FROM owed o WHERE o.webhook = ? AND o.delivery IS NULL AND o.position > ? ORDER BY o.position LIMIT ?`,
  ),
};

const readMatches = (below: number): unknown => statements.page.all(account, below, limit);

/** The stories of the newest matches, what each has of its rules, and its first match. */
function readStories(below: number): void {
  const stories = new Set<number>();
  for (const row of statements.told.iterate(account, below)) {
    stories.add(Number(row['story']));
    if (stories.size === limit) break;
  }
  for (const story of stories) {
    const parts = statements.parts.all(story);
    const told = parts.length > 0 ? parts : statements.single.all(story);
    statements.match.get(Math.min(...told.map(({ first }) => Number(first))));
  }
}

/** Keeps a delivery that must survive a power cut: its bytes and its matches before it is sent, and how it went. */
function openKept(path: string) {
  const kept = new DatabaseSync(path);
  kept.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE deliveries (number INTEGER PRIMARY KEY, status INTEGER, body TEXT NOT NULL);
    CREATE TABLE owed (position INTEGER PRIMARY KEY, delivery INTEGER);`);
  const add = kept.prepare('INSERT INTO deliveries (body) VALUES (?)');
  const owe = kept.prepare('INSERT OR REPLACE INTO owed (position, delivery) VALUES (?, ?)');
  const end = kept.prepare('UPDATE deliveries SET status = ? WHERE number = ?');
  return {
    begin(positions: readonly number[], body: string): number {
      kept.exec('BEGIN IMMEDIATE');
      const number = Number(add.run(body).lastInsertRowid);
      for (const position of positions) owe.run(position, number);
      kept.exec('COMMIT');
      return number;
    },
    end: (number: number, status: number) => void end.run(status, number),
  };
}

const kept = order.scratch === undefined ? undefined : openKept(order.scratch);
let sent = 0;

/** Reads a batch of what the webhook is owed and sends it. */
async function deliver(isKept: boolean): Promise<void> {
  const positions = statements.owed.all(1, sent, limit).map(({ position }) => Number(position));
  for (const position of positions) statements.match.get(position);
  sent = positions.at(-1) ?? 0;
  const number = isKept ? kept!.begin(positions, order.batch!) : 0;
  const sending = request(order.receiver!, { method: 'POST', headers: { 'content-type': 'application/json' } });
  sending.end(order.batch);
  const [answer] = await once(sending, 'response');
  await text(answer);
  if (isKept) kept!.end(number, answer.statusCode);
}

const pages = new Map(
  [
    ...order.matches.map((page) => ({ ...page, path: '/matches', read: readMatches })),
    ...order.stories.map((page) => ({ ...page, path: '/stories', read: readStories })),
  ].flatMap(({ path, bodies, below, answer, read }) => {
    const page = { below, read, bytes: Buffer.from(answer) };
    return bodies.map((body) => [path + body, page] as const);
  }),
);

async function answerTo(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const body = await text(asked);
  if (asked.url!.startsWith('/deliver')) {
    for (let left = Number(body); left > 0; left--) await deliver(asked.url === '/deliver-and-keep');
    sent = 0;
    answer.end();
    return;
  }
  const { below, read, bytes } = pages.get(asked.url! + body)!;
  read(below);
  answer.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length });
  answer.end(bytes);
}

const server = createServer((asked, answer) => void answerTo(asked, answer));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
