/** The compose file, held to the part of its schema that it uses, and to itself. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../../src/app/config.ts';
import { ROLES } from '../../src/domain/role.ts';
import { DEPLOY, expectNode, ROOT } from './settings.ts';

const duration = z.string().regex(/^\d+(s|m)$/);
const command = z.array(z.string()).min(1);
const service = z.strictObject({
  image: z.string().regex(/^[a-z]+:[\w.-]+$/),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  restart: z.literal('unless-stopped'),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  stop_grace_period: duration,
  depends_on: z.record(z.string(), z.strictObject({ condition: z.literal('service_healthy') })).optional(),
  tmpfs: z.array(z.string().startsWith('/')).optional(),
  environment: z.record(z.string().regex(/^[A-Z_]+$/), z.string()).optional(),
  ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+(-\d+)?:\d+$/)).optional(),
  deploy: z.strictObject({ replicas: z.int().positive() }).optional(),
  volumes: z.array(z.string().regex(/^[a-z]+:\/[\w/]+$/)).optional(),
  shm_size: z.string().optional(),
  command: command.optional(),
  healthcheck: z
    .strictObject({ test: command, interval: duration, timeout: duration, retries: z.int().positive() })
    .optional(),
});
const composeFile = z.strictObject({
  name: z.string(),
  'x-sluice': z.unknown().optional(),
  'x-settings': z.unknown().optional(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const parsed = (source: string) => composeFile.parse(parse(source, { merge: true, strict: true, uniqueKeys: true }));
const text = read('compose.yaml');
const compose = parsed(text);
const single = parsed(read('compose.single.yaml'));
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

/** Passwords as the operator chooses them; what may be left empty is. */
const filledIn = (environment: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{[A-Z_]+:([?-])[^}]*\}/g, (_, otherwise) => (otherwise === '?' ? 'secret' : '')),
    ]),
  );

/** The processes of ours in one file or the other. */
const everyProcess = [...ours, ...Object.entries(single.services)];

describe('both compose files', () => {
  it.each(everyProcess)('%s can be given tokens of X and Firehose', (_, { environment }) => {
    for (const name of ['SLUICE_X_BEARER_TOKEN', 'SLUICE_FIREHOSE_TOKEN'])
      expect(environment).toMatchObject({ [name]: `\${${name}:-}` });
  });

  it.each(everyProcess)('%s is stopped with time to end in order', (_, { environment, stop_grace_period }) => {
    const grace = Number(environment?.['SLUICE_STOP_GRACE'] ?? 0);
    expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(grace + 10);
  });
});

describe('compose file of one process', () => {
  const [[name, process]] = Object.entries(single.services) as [[string, z.output<typeof service>]];

  it('starts with nothing set, and keeps its folder in a volume', () => {
    expect([name, Object.keys(single.services).length]).toEqual(['sluice', 1]);
    const settings = Object.entries(filledIn(process.environment!));
    expect(loadConfig(Object.fromEntries(settings))).toMatchObject({
      roles: ROLES,
      storeUrl: expect.stringMatching(/^sqlite:/),
    });
    expect(process.volumes).toEqual(['sluice:/data']);
    expect(Object.keys(single.volumes)).toEqual(['sluice']);
    expect(process.ports).toEqual(['127.0.0.1:4800:4800']);
  });

  it('is built from our Dockerfile', () => {
    expect(resolve(DEPLOY, process.build!.context)).toBe(ROOT);
    expect(resolve(ROOT, process.build!.dockerfile)).toBe(join(DEPLOY, 'Dockerfile'));
  });
});

describe('compose file', () => {
  it('has each role, by its name', () => {
    expect(ours.map(([name]) => name).toSorted()).toEqual(ROLES.toSorted());
    for (const [name, { environment }] of ours) expect(environment).toMatchObject({ SLUICE_ROLES: name });
  });

  it.each(ours)(
    '%s is built from our Dockerfile, with settings that it starts with',
    (name, { build, environment }) => {
      expect(resolve(DEPLOY, build!.context)).toBe(ROOT);
      expect(resolve(ROOT, build!.dockerfile)).toBe(join(DEPLOY, 'Dockerfile'));
      expectNode(name, filledIn(environment!));
    },
  );

  it('waits for services that there are and that say when they are ready', () => {
    for (const [, { depends_on = {} }] of services) {
      for (const name of Object.keys(depends_on)) expect(compose.services[name]?.healthcheck).toBeDefined();
    }
  });

  it('keeps what must last in volumes that there are', () => {
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]!));
    expect(used.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  it('asks for every secret, all named in the example of the environment', () => {
    const example = readFileSync(join(DEPLOY, 'compose.env.example'), 'utf8');
    const offered = [...example.matchAll(/^([A-Z_]+)=$/gm)].map(([, name]) => name!);
    const asked = [...text.matchAll(/\$\{([A-Z_]+)(:[?-])/g)];
    expect([...new Set(asked.map(([, name]) => name!))].toSorted()).toEqual(offered.toSorted());
    for (const [, name, otherwise] of asked) expect(otherwise).toBe(/PASSWORD|_KEY/.test(name!) ? ':?' : ':-');
  });
});
