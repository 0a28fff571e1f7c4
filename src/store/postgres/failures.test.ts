import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { postgresError } from './failures.ts';

const ofServer = (code: string): Error => Object.assign(new pg.DatabaseError('as told', 7, 'error'), { code });
const ofNetwork = (code: string, syscall: string): Error => Object.assign(new Error(code), { code, syscall });

describe('a failure of PostgreSQL', () => {
  it.each([
    ['away', ofNetwork('ECONNREFUSED', 'connect')],
    ['away', ofNetwork('ENOTFOUND', 'getaddrinfo')],
    ['away', ofNetwork('EAI_AGAIN', 'getaddrinfo')],
    ['away', ofNetwork('EHOSTUNREACH', 'connect')],
    ['away', ofNetwork('ENOENT', 'connect')],
    ['away', new Error('Connection terminated unexpectedly')],
    ['away', ofServer('57P03')],
    ['away', ofServer('28P01')],
    ['away', ofServer('3D000')],
    ['away', ofServer('53300')],
    ['full', ofServer('53100')],
    ['unwritable', ofServer('53200')],
    ['unwritable', ofServer('25006')],
    ['busy', ofServer('55P03')],
  ])('is %s: %s', (reason, error) => {
    expect(postgresError(error)).toMatchObject({ name: 'StoreError', reason, retryable: true, cause: error });
  });

  it.each(['22001', '23514', '54000', 'P0001'])('with the code %s is a refusal of what was to be stored', (code) => {
    expect(postgresError(ofServer(code))).toMatchObject({ reason: 'refused', retryable: false });
  });

  it('is a defect when a statement is wrong, and left alone when it is not of PostgreSQL', () => {
    expect(postgresError(ofServer('42601'))).toMatchObject({ reason: 'defect', retryable: false });
    const other = new TypeError('no such thing');
    expect(postgresError(other)).toBe(other);
  });
});
