/** `server.json`, by which registries list the tool server, and the server card that a server gives itself. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SERVER_DESCRIPTION, SERVER_NAME } from '../../src/http/pages.ts';
import { startApp } from '../stages/http-app.ts';

const read = (name: string): unknown =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../..', name), 'utf8')) as unknown;
const { name, version, mcpName } = read('package.json') as { name: string; version: string; mcpName: string };

/** One exact version: no range, no tag. */
const exactVersion = z
  .string()
  .min(1)
  .max(255)
  .regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
const input = z.strictObject({
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  value: z.string().optional(),
  choices: z.array(z.string()).optional(),
});
const named = input.extend({ name: z.string(), variables: z.record(z.string(), input).optional() });
const argument = z.union([
  named.extend({ type: z.literal('named'), isRepeated: z.boolean().optional() }),
  input
    .extend({ type: z.literal('positional'), valueHint: z.string().optional(), isRepeated: z.boolean().optional() })
    .refine(({ value, valueHint }) => value !== undefined || valueHint !== undefined),
]);

/** The registry's schema of 2025-12-11, as far as it concerns us, and stricter: no other members. */
const serverJson = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100).optional(),
  description: z.string().min(1).max(100),
  version: exactVersion,
  websiteUrl: z.url({ protocol: /^https$/ }).optional(),
  repository: z.strictObject({ url: z.url(), source: z.string(), id: z.string().optional() }).optional(),
  packages: z
    .array(
      z.strictObject({
        registryType: z.string(),
        identifier: z.string(),
        version: exactVersion,
        transport: z.strictObject({ type: z.literal('stdio') }),
        runtimeHint: z.string().optional(),
        packageArguments: z.array(argument).optional(),
        environmentVariables: z.array(named).optional(),
      }),
    )
    .optional(),
  remotes: z
    .array(
      z.strictObject({
        type: z.enum(['streamable-http', 'sse']),
        url: z.string().regex(/^https:\/\/[^\s]+$/),
        variables: z.record(z.string(), input).optional(),
        headers: z.array(named).optional(),
      }),
    )
    .optional(),
});

describe('server.json', () => {
  const file = serverJson.parse(read('server.json'));

  it('keeps to the schema of registries, and says what package.json says', () => {
    expect(file).toMatchObject({ name: SERVER_NAME, description: SERVER_DESCRIPTION, version });
    expect(mcpName).toBe(file.name);
  });

  it('has a variable for every part of an address in braces', () => {
    for (const { url, variables = {} } of file.remotes ?? [])
      expect([...url.matchAll(/\{(\w+)\}/g)].map(([, variable]) => variable)).toEqual(Object.keys(variables));
  });

  it('names no package but our own, and that only under a scope', () => {
    for (const { identifier } of file.packages ?? []) expect([identifier, name[0]]).toEqual([name, '@']);
    expect((file.packages?.length ?? 0) + (file.remotes?.length ?? 0)).toBeGreaterThan(0);
  });
});

describe('the server card', () => {
  it('is at both places, for every page to read, and says nothing secret', async () => {
    await using app = await startApp({ publicUrl: 'https://sluice.example/tools/' });
    for (const url of ['/mcp/server-card', '/.well-known/mcp/server-card.json']) {
      const answer = await app.http.inject({ url });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': expect.stringMatching(/^application\/mcp-server-card\+json/) as string,
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
      });
      expect(answer.json()).toEqual({
        $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
        name: SERVER_NAME,
        version: app.context.settings.version,
        title: 'Sluice',
        description: SERVER_DESCRIPTION,
        websiteUrl: 'https://sluice.example/tools',
        remotes: [{ type: 'streamable-http', url: 'https://sluice.example/tools/mcp' }],
      });
    }
  });

  it('is not there where the server does not know its public address', async () => {
    await using app = await startApp();
    expect((await app.http.inject({ url: '/mcp/server-card' })).statusCode).toBe(404);
  });
});
