import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadClient, MissingClientError, optionalPackages } from './optional-client.ts';

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}
const manifest = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) as Manifest;
const asNamed = (versions: Record<string, string> = {}) =>
  Object.entries(versions).map(([name, version]) => `${name}@${version}`);

it('names the packages and versions that package.json has, each optional', () => {
  const { peerDependencies, peerDependenciesMeta = {} } = manifest('package.json');
  const named = (['PostgreSQL', 'NATS', 'Kafka', 'OpenTelemetry'] as const).flatMap(optionalPackages);
  expect(named.toSorted()).toEqual(asNamed(peerDependencies).toSorted());
  for (const name of Object.keys(peerDependencies!)) expect(peerDependenciesMeta[name]).toEqual({ optional: true });
});

it('has in a clone and in the image what several machines need', () => {
  const several = [...optionalPackages('PostgreSQL'), ...optionalPackages('NATS')];
  expect(asNamed(manifest('packages/drivers/package.json').dependencies).toSorted()).toEqual(several.toSorted());
});

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
