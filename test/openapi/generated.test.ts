/** Clients that others generate from the OpenAPI document compile, and have a type for a rule and for a match. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonByQuicktype, typesByOpenApiTypescript } from '../../packages/generators/generate.ts';
import { openApi } from '../../src/http/openapi.ts';
import { operations } from '../../src/service/operations.ts';
import { hasPython } from '../campaign/certificates.ts';

const TSC = resolve(import.meta.dirname, '../../node_modules/.bin/tsc');
const document = (await openApi('0.0.0')) as { components: { schemas: object } };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-generated-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

describe('openapi-typescript', () => {
  const program = (body: string) => `import type { components, operations } from './generated.ts';
type Rule = components['schemas']['Rule'];
type Match = components['schemas']['Match'];
type Failure = operations['listMatches']['responses']['default']['content']['application/json']['code'];
${body}
`;
  beforeAll(async () => {
    writeFileSync(join(folder, 'generated.ts'), await typesByOpenApiTypescript(document));
  });
  const compiled = (name: string, body: string) => {
    writeFileSync(join(folder, name), program(body));
    const options = [
      '--noEmit',
      '--strict',
      '--allowImportingTsExtensions',
      '--module',
      'nodenext',
      '--target',
      'es2024',
    ];
    return run(TSC, ...options, '--types', '', '--lib', 'es2024', name);
  };

  it('makes types that compile, with Rule, Match and the error of every operation', () => {
    const body = `export const texts = (rule: Rule): string[] => [rule.platforms.x?.translated_value ?? rule.intent];
export const where = (match: Match): string => match.highlights.map(({ field }) => field).join() + match.rule_id;
export const isLimit = (code: Failure): boolean => code === 'resource_exhausted';`;
    expect(compiled('right.ts', body)).toEqual({ status: 0, output: '' });
  });

  it('makes types that refuse what a rule does not have', () => {
    const { status, output } = compiled('wrong.ts', 'export const wrong = (rule: Rule) => rule.text;');
    expect(status).not.toBe(0);
    expect(output).toContain("Property 'text' does not exist");
  });
});

describe.runIf(hasPython)('quicktype, for Python', () => {
  it('makes classes that read our examples, and has Rule and Match', async () => {
    writeFileSync(join(folder, 'generated.py'), await pythonByQuicktype(document));
    const rule = operations.getRule.example.output;
    const { matches } = operations.listMatches.example.output;
    writeFileSync(join(folder, 'examples.json'), JSON.stringify({ rule, match: matches[0] }));
    const script = `import json, generated
given = json.load(open('examples.json'))
rule, match = generated.Rule.from_dict(given['rule']), generated.Match.from_dict(given['match'])
assert rule.to_dict() == given['rule'], rule.to_dict()
print(rule.platforms.x.translated_value, match.highlights[0].field)
`;
    expect(run('python3', '-c', script)).toEqual({
      status: 0,
      output: `${rule.platforms.x!.translated_value} data.text\n`,
    });
  });
});
