/** The program tells operators to install what package.json has. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { optionalPackages } from '../../src/base/optional-client.ts';

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
