/** Rows that leave their tables when their time has come, many of each kind. */
import { DAY, MINUTE, START } from './store/stage.ts';

/** Retention is 30 days: what is before `OLD` may go. */
export const NOW = START + 100 * DAY;
const OLD = NOW - 30 * DAY;
export const HUNDREDS = 2_300;

interface Kind {
  readonly table: string;
  /** Columns with their values; `i` is the number of the row, `t` its time. */
  readonly columns: Readonly<Record<string, string>>;
  /** The last time at which a row goes, and the first at which it stays. */
  readonly goes: number;
  readonly stays: number;
  readonly rows?: number;
}

const endsNow = { goes: NOW, stays: NOW + 1 };
const past = { goes: OLD - 1, stays: OLD };
const ACCOUNT = '(SELECT number FROM accounts)';

export const KINDS: readonly Kind[] = [
  { table: 'passes', columns: { digest: 'name', account: `'a'`, key: `'k'`, ends_at: 't', used_at: '0' }, ...endsNow },
  {
    table: 'access_tokens',
    columns: { digest: 'name', grant_id: 'name', scopes: `'[]'`, ends_at: 't' },
    ...endsNow,
  },
  {
    table: 'grants',
    columns: {
      id: 'name',
      account: `'a'`,
      client: `'""'`,
      client_name: `'""'`,
      redirect_uri: `'""'`,
      resource: `'""'`,
      scopes: `'[]'`,
      created_at: '0',
      ends_at: 't',
      expires_at: 't',
      code: 'name',
      challenge: `''`,
    },
    ...endsNow,
  },
  {
    table: 'oauth_clients',
    columns: { id: 'name', name: `'""'`, redirect_uris: `'[]'`, created_at: '0', ends_at: 't' },
    ...endsNow,
  },
  {
    table: 'answers',
    columns: { account: ACCOUNT, key: 'name', body_digest: `''`, answer: `'{}'`, kept_at: 't' },
    goes: NOW - DAY,
    stays: NOW - DAY + 1,
  },
  { table: 'tombstones', columns: { digest: 'name', account: '0', until: 't' }, goes: NOW - 1, stays: NOW },
  {
    table: 'changes',
    columns: { account: ACCOUNT, at: 't', made_by: `'{}'`, kind: `'rule'`, what: `'rule.changed'`, subject: 'name' },
    ...past,
  },
  {
    table: 'alerts',
    columns: {
      id: 'name',
      account: ACCOUNT,
      rule: '1',
      platform: `'x'`,
      kind: `'surge'`,
      from_at: '0',
      to_at: 't',
      rate: '1',
      usual_rate: '1',
    },
    ...past,
  },
  {
    table: 'readings',
    columns: { source: 'name', minute: `t / ${MINUTE}`, events: '1', first_mark: `'""'`, last_mark: `'""'` },
    ...past,
  },
  {
    table: 'rehearsals',
    columns: {
      id: 'name',
      account: ACCOUNT,
      status: `'done'`,
      created_at: '0',
      ended_at: 't',
      due_at: '0',
      events: '0',
      request: `'{}'`,
    },
    rows: 50,
    ...past,
  },
  { table: 'wake_stories', columns: { webhook: '1', story: 'name', woke: '0', seen: 't' }, ...past },
  {
    table: 'gaps',
    columns: {
      platform: `'x'`,
      owner: `''`,
      rule: `''`,
      source: 'name',
      from_at: '0',
      to_at: 't',
      cause: `'""'`,
      recovered: '0',
    },
    ...past,
  },
  { table: 'broken', columns: { platform: `'x'`, at: 't', reason: `'""'`, sample: `'""'` }, ...past },
  {
    table: 'deliveries',
    columns: {
      id: 'name',
      webhook: '1',
      account: ACCOUNT,
      created_at: 't',
      matches: '0',
      status: `'failed'`,
      made: '1',
    },
    ...past,
  },
];

export const insert = ({ table, columns }: Kind, from: number, to: number, time: number): string =>
  `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
   WITH RECURSIVE n (i, t) AS (SELECT ${from}, CAST(${time} AS bigint) UNION ALL SELECT i + 1, t FROM n WHERE i < ${to}),
     named AS (SELECT i, t, 'name ' || i AS name FROM n)
   SELECT ${Object.values(columns).join(', ')} FROM named`;
