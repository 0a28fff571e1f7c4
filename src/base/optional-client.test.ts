import { expect, it } from 'vitest';
import { loadClient, MissingClientError } from './optional-client.ts';

it('says what to install when Node does not find the client', async () => {
  const error = Object.assign(new Error("Cannot find package 'pg' imported from /a.js"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await expect(loadClient('PostgreSQL', () => Promise.reject(error))).rejects.toThrow(
    'This server has no PostgreSQL client. Its operator installs it beside Sluice: npm install pg@8.23.1',
  );
});

it('passes every other failure on', async () => {
  const other = Object.assign(new Error("Cannot find package 'pg-types'"), { code: 'ERR_MODULE_NOT_FOUND' });
  const thrown = await loadClient('PostgreSQL', () => Promise.reject(other)).catch((error: unknown) => error);
  expect(thrown).toBe(other);
  expect(thrown).not.toBeInstanceOf(MissingClientError);
});
