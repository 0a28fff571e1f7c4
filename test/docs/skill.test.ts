/** The skill keeps to the format that agents read, its links lead somewhere, and its rules are good ones. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { TOOLS } from '../../src/mcp/tools.ts';
import { agentOf } from '../mcp/in-process.ts';
import { openService } from '../stages/service.ts';

const FOLDER = resolve(import.meta.dirname, '../../skills/sluice-watching');
const pages = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const [, frontMatter, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(read('SKILL.md'))!;

const skill = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
  description: z.string().min(1).max(1_024),
  license: z.string(),
  compatibility: z.string().max(500),
});

describe('skills/sluice-watching', () => {
  it('says what it is and when to use it, within the limits of the format', () => {
    const { name, description } = skill.parse(parse(frontMatter!));
    expect(name).toBe(basename(FOLDER));
    expect(description).toMatch(/Use it when/);
    expect(body!.split('\n').length).toBeLessThan(500);
    expect(body!.length / 4).toBeLessThan(5_000);
  });

  it.each(pages)('%s links to what is there, one level deep', (page) => {
    for (const [, target] of read(page).matchAll(/\]\(([^)]+)\)/g)) {
      expect(existsSync(join(FOLDER, page, '..', target!)), target).toBe(true);
      expect(target!.split('/').length).toBeLessThanOrEqual(2);
    }
  });

  it('names tools that there are, and every one that it needs', () => {
    const named = new Set([...body!.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name!));
    const tools = TOOLS.map(({ operation }) => operation.name);
    const fields = ['intent_notes', 'latest_cursor', 'untrusted_content', 'resource_exhausted', 'cursor_expired'];
    expect([...named].filter((name) => !tools.includes(name) && !fields.includes(name))).toEqual([]);
  });

  it('has rules that check_rule finds ready, without a warning', async () => {
    await using test = await openService();
    const check = agentOf(test, await test.caller('alice'));
    let tried = 0;
    for (const page of pages) {
      for (const [, platform, rule] of read(page).matchAll(/^```(x|firehose)\n(.*)\n```$/gm)) {
        const { value, text } = await check('check_rule', { overrides: { [platform!]: rule } });
        expect(value, `${rule}: ${text}`).toMatchObject({ ready: true });
        expect(page === 'SKILL.md' && text.includes('issues'), rule).toBe(false);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(10);
  });
});
