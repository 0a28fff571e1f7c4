/**
 * The settings of every session. A node that freezes or is cut off must not hold others up, wherever it froze:
 *
 * - Inside a transaction the server ends its session after `IDLE_MS`, and the locks go with it.
 * - Sessions that it had waiting for a lock give up after `LOCK_MS`. So the last of its locks is gone after
 *   `LOCK_MS + IDLE_MS`, which is below ten seconds.
 * - A machine that vanished is noticed by the server's TCP, within about as long.
 */
import pg from 'pg';

const IDLE_MS = 3_000;
const LOCK_MS = 6_000;
const STATEMENT_MS = 10_000;
/** We ourselves wait a little longer for an answer than the server works on it: then the server is gone. */
export const QUERY_MS = 15_000;
/** A session of a frozen node that is between two statements holds nothing but a place. */
const IDLE_SESSION_MS = 10 * 60_000;

interface Limits {
  readonly statementMs?: number;
  readonly lockMs?: number;
  readonly readOnly?: boolean;
}

export function optionsOf({ statementMs = STATEMENT_MS, lockMs = LOCK_MS, readOnly = false }: Limits = {}): string {
  const settings = {
    // Compiling a statement takes longer than any of ours runs.
    jit: 'off',
    // Our data is in memory or on a disk without a head: an index is then cheaper than going through a table.
    random_page_cost: 1.1,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: IDLE_MS,
    idle_session_timeout: IDLE_SESSION_MS,
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 1,
    tcp_keepalives_count: 4,
    tcp_user_timeout: 9_000,
    ...(readOnly && { default_transaction_read_only: 'on' }),
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

export const SOCKET = { application_name: 'sluice', keepAlive: true, keepAliveInitialDelayMillis: 5_000 } as const;

export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
