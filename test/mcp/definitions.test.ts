/** The definitions that a model is told of the tools are short, closed, and held to the service. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { definitionOf, type ToolDefinition } from '../../src/mcp/tool.ts';
import { REACH, TOOLS, toolsFor } from '../../src/mcp/tools.ts';
import { FLAGS } from '../../src/mcp/untrusted.ts';
import { type OperationName, operations } from '../../src/service/operations.ts';
import type { Operation } from '../../src/service/perform/operation.ts';

const definitions = TOOLS.map(definitionOf);
const names = definitions.map(({ name }) => name);

describe('the tools', () => {
  it('are these', () => {
    expect(names).toEqual([
      'platform_syntax',
      'check_rule',
      'create_rule',
      'list_rules',
      'update_rule',
      'delete_rule',
      'list_matches',
      'wait_for_matches',
      'explain_match',
      'rate_match',
      'near_misses',
      'explain_post',
      'suggest_changes',
      'draft_rule',
      'add_source',
      'list_sources',
      'status',
    ]);
  });

  it('take at most 3,800 tokens of a context', () => {
    const tokens = Math.ceil(JSON.stringify(definitions).length / 4);
    console.log(`${names.length} tool definitions: ${tokens} tokens`);
    expect(tokens).toBeLessThanOrEqual(3_800);
  });

  it.each(definitions)(
    '$name says what it is, takes no unknown field, and whether it changes something',
    (definition) => {
      expect(definition.description).toMatch(/\nExample: \{/);
      expect(definition.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      // People are asked by two hints, of which each tool has the one that says something.
      expect(Object.keys(definition.annotations)[0]).toMatch(/^(readOnly|destructive)Hint$/);
    },
  );

  it.each(TOOLS.map(({ operation }) => operation))('$name has examples that its schemas accept', (operation) => {
    expect(operation.input.safeParse(operation.example.input).error).toBeUndefined();
    expect(operation.output.safeParse(operation.example.output).error).toBeUndefined();
  });

  it('say of what changes something whether it destroys, may be repeated, and reaches beyond the account', () => {
    const hints = definitions.filter(({ annotations }) => annotations.readOnlyHint !== true);
    const [account, web] = [{ openWorldHint: false }, { openWorldHint: true }];
    const [once, again] = [{ idempotentHint: false }, { idempotentHint: true }];
    const [keeps, destroys] = [{ destructiveHint: false }, { destructiveHint: true }];
    expect(Object.fromEntries(hints.map(({ name, annotations }) => [name, annotations]))).toEqual({
      create_rule: { ...keeps, ...account },
      update_rule: { ...keeps, ...again, ...account },
      delete_rule: { ...destroys, ...again, ...account },
      rate_match: { ...keeps, ...again, ...account },
      add_source: { ...keeps, ...once, ...web },
    });
    const isWithin = ({ annotations: { readOnlyHint, openWorldHint } }: ToolDefinition): boolean =>
      readOnlyHint === true && openWorldHint === false;
    expect(definitions.filter(isWithin).map(({ name }) => name)).toEqual(['platform_syntax', 'list_rules', 'status']);
  });

  it('that change something are said to, and are not for a read key', () => {
    const changing = definitions.filter(({ annotations }) => annotations.readOnlyHint !== true).map(({ name }) => name);
    expect(changing).toEqual(['create_rule', 'update_rule', 'delete_rule', 'rate_match', 'add_source']);
    const forReaders = toolsFor(({ access }) => access === 'read').map(({ operation }) => operation.name);
    expect(forReaders).toEqual(names.filter((name) => !changing.includes(name)));
  });

  it('make no webhooks and no keys, and one alone takes an address', () => {
    const inputs = TOOLS.flatMap(({ operation }) =>
      Object.keys((operation.input as z.ZodObject).shape).map((name) => `${operation.name}.${name}`),
    );
    expect(inputs.filter((name) => /url|uri|webhook|key$|address/i.test(name))).toEqual([
      'create_rule.idempotency_key',
      // An address that is looked for among what is known, and not fetched.
      'explain_post.url',
      'add_source.url',
    ]);
  });
});

describe('docs/agents.md', () => {
  const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8');

  it('lists the tools, in order, with the keys they need', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \|.*\| (\w+) \|$/gm)].map(([, name, key]) => ({ name, key }));
    expect(rows).toEqual(TOOLS.map(({ operation: { name, access } }) => ({ name, key: access })));
  });

  it('has configuration that can be read', () => {
    for (const [, json] of page.matchAll(/```json\n(.*?)```/gs)) expect(() => JSON.parse(json!)).not.toThrow();
  });

  it('names every flag', () => {
    for (const flag of FLAGS) expect(page).toContain(`\`${flag}\``);
  });
});

/** Definitions have few tokens: what people look around with, and change now and then, is not in them. */
const LEFT_OUT: Partial<Record<OperationName, readonly string[]>> = {
  // A story has all its events; a tool needs no second way to them.
  listMatches: ['event_id', 'author', 'domain', 'language', 'source'],
  // A tool changes the texts of the platforms that the rule has.
  updateRule: ['overrides', 'alerts'],
  // A tool explains rules that exist, so it asks for one.
  explainEvent: ['rule_id', 'value', 'options'],
};

describe('every operation', () => {
  it.each(Object.entries(REACH))('%s is reachable by a tool, or deliberately not', (name, reach) => {
    expect(operations).toHaveProperty(name);
    const isReached = 'by' in reach && names.includes(reach.by);
    expect(isReached || ('not' in reach && reach.not.length > 20)).toBe(true);
  });

  it('is in the table', () => {
    expect(Object.keys(REACH).toSorted()).toEqual(Object.keys(operations).toSorted());
  });

  it.each([
    ['createRule', 'create_rule'],
    ['updateRule', 'update_rule'],
    ['deleteRule', 'delete_rule'],
    ['platformSyntax', 'platform_syntax'],
    ['explainMatch', 'explain_match'],
    ['rateMatch', 'rate_match'],
    ['status', 'status'],
    ['listMatches', 'list_matches'],
    ['nearMisses', 'near_misses'],
    ['explainEvent', 'explain_post'],
    ['suggestChanges', 'suggest_changes'],
  ] as [OperationName, string][])('%s takes what %s takes', (operation, tool) => {
    const shapeOf = ({ input }: Operation) => (input as z.ZodObject).shape;
    const ours = shapeOf(TOOLS.find((one) => one.operation.name === tool)!.operation);
    for (const [name, schema] of Object.entries(shapeOf(operations[operation]))) {
      if (LEFT_OUT[operation]?.includes(name)) continue;
      // Tools answer in fewer words, so these two have defaults of their own.
      expect(ours, name).toHaveProperty(name);
      expect(name === 'limit' || name === 'form' || ours[name] === schema, name).toBe(true);
    }
  });
});
