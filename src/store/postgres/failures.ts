/** PostgreSQL's errors in our words. */
import pg from 'pg';
import { StoreError, type StoreFailure } from '../error.ts';

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Two transactions that got in each other's way. */
export const isConflict = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));

export const isLockTimeout = (error: unknown): boolean =>
  codeOf(error instanceof StoreError ? error.cause : error) === '55P03';

/** Whether the server may or may not have done what it was asked last. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof StoreError ? error.cause !== undefined && isOutcomeUnknown(error.cause) : isLost(error);

/** Whether the connection is of no more use. 25P03 and 57P05: the server ended a session that was idle for too long. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  return (
    /^(08|57P0|25P03)/.test(code) ||
    isUnreachable(error) ||
    /connection (terminated|timeout)|not queryable|query read timeout|timeout expired|timeout exceeded when trying/i.test(
      message,
    )
  );
}

/** The network's own words: a host without a name or a way to it, a socket that is gone, a connection that broke. */
const isUnreachable = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ECONNREFUSED'].includes(codeOf(error)) ||
  (error instanceof Error && 'syscall' in error && /^(connect|getaddrinfo|read|write)/.test(String(error.syscall)));

const DISK_FULL = '53100';
/** A wrong password, a database that is gone, too many connections: the server is there, but not for us. */
const REFUSES = /^(28|3D000|53300)/;

function failureOf(error: unknown): StoreFailure {
  const code = codeOf(error);
  if (code === '23505') return 'exists';
  if (code === DISK_FULL) return 'full';
  if (isLost(error) || REFUSES.test(code)) return 'away';
  // No memory, or a server that is read-only because it became a standby.
  if (code.startsWith('53') || code === '25006') return 'unwritable';
  // A lock or a statement that took too long, or others that got in the way each time.
  if (code === '55P03' || code === '57014' || isConflict(error)) return 'busy';
  // A value that a type cannot have, a constraint, a size that is too much, and what a trigger raises.
  if (/^(22|23|54|P0)/.test(code)) return 'refused';
  return 'defect';
}

export function postgresError(cause: unknown): unknown {
  if (!(cause instanceof pg.DatabaseError) && !isLost(cause)) return cause;
  const failure = failureOf(cause);
  return new StoreError(failure, WORDS[failure] ?? 'PostgreSQL refused a statement.', { cause });
}

export async function inWords<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw postgresError(error);
  }
}

const WORDS: Partial<Record<StoreFailure, string>> = {
  exists: 'Something with this id or name is there already.',
  full: 'The disk of PostgreSQL is full.',
  away: 'PostgreSQL cannot be reached now.',
  unwritable: 'PostgreSQL cannot be written now.',
  busy: 'PostgreSQL took too long: another transaction holds what this one needs.',
};
