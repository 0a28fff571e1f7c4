/** The compose file, held to the part of its schema that it uses, and to itself. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
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
  'x-sluice': z.unknown(),
  'x-settings': z.unknown(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

const text = readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8');
const compose = composeFile.parse(parse(text, { merge: true, strict: true, uniqueKeys: true }));
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
