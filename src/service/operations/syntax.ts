/** Get Platform Syntax and Translate Rule: what the languages say about themselves and about each other. */
import { z } from 'zod';
import { PLATFORMS, type Platform } from '../../domain/platform.ts';
import type { SyntaxHelp } from '../../rules/language.ts';
import { translate } from '../../rules/translate.ts';
import { platform } from '../shapes.ts';
import { operation } from './operation.ts';
import { fieldsOf, problemsOfText } from './rule-problems.ts';

const operatorHelp = z.object({
  name: z.string(),
  syntax: z.string(),
  description: z.string(),
  example: z.string(),
  standalone: z.boolean(),
  negatable: z.boolean(),
});
const syntaxHelp = z.object({
  platform: z.enum(PLATFORMS),
  rule_type: z.enum(['premium', 'regular']),
  summary: z.string(),
  grammar: z.string(),
  operators: z.array(operatorHelp),
  limits: z.record(z.string(), z.union([z.number(), z.string()])),
  examples: z.array(z.object({ intent: z.string(), rule: z.string() })),
  pitfalls: z.array(z.string()),
});

export const platformSyntax = operation({
  name: 'platformSyntax',
  summary: 'Get the rule syntax of platforms',
  description:
    'All that is needed to write rules for a platform: grammar, operators, limits, worked examples and pitfalls. Without `platforms`: all of them.',
  access: 'read',
  input: z.strictObject({ platforms: z.array(platform).min(1).optional() }),
  output: z.object({ platforms: z.partialRecord(z.enum(PLATFORMS), syntaxHelp) }),
  example: {
    input: { platforms: ['x'] },
    output: {
      platforms: {
        x: {
          platform: 'x',
          rule_type: 'premium',
          summary: 'Rules for posts on X.',
          grammar: 'rule = clause { " " clause } ;',
          operators: [
            {
              name: 'from',
              syntax: 'from:username',
              description: 'Posts by this user.',
              example: 'from:volcanowatch',
              standalone: true,
              negatable: true,
            },
          ],
          limits: { length: 1024 },
          examples: [{ intent: 'News of eruptions', rule: '(volcano OR lava) erupting' }],
          pitfalls: ['Blanks mean AND; there is no AND operator.'],
        },
      },
    },
  },
  run: async ({ languages }, _, { platforms = [...PLATFORMS] }) => ({
    platforms: Object.fromEntries(platforms.map((name) => [name, helpToJson(languages[name].help)])),
  }),
});

const helpToJson = (help: SyntaxHelp): z.input<typeof syntaxHelp> => ({
  ...help,
  operators: [...help.operators],
  examples: [...help.examples],
  pitfalls: [...help.pitfalls],
});

const other = (name: Platform): Platform => (name === 'x' ? 'firehose' : 'x');

export const translateRule = operation({
  name: 'translateRule',
  summary: "Translate a rule into the other platform's language",
  description:
    'Says the same in the other language as far as it can be said. `clauses` tells what became of each part: `exact`, `wider` (also matches more), `narrower`, or `impossible` (left out). `value` is absent when nothing is left that the other platform accepts. Creates nothing.',
  access: 'read',
  input: z.strictObject({
    platform: platform.describe('The platform the rule is written for; it is translated for the other one.'),
    value: z.string(),
  }),
  output: z.object({
    platform: z.enum(PLATFORMS).describe('The platform that `value` is for.'),
    value: z.string().optional(),
    exact: z.boolean().describe('Whether it means the same to the last clause.'),
    clauses: z.array(
      z.object({
        clause: z.string(),
        becomes: z.string().optional(),
        verdict: z.enum(['exact', 'wider', 'narrower', 'impossible']),
        reason: z.string(),
      }),
    ),
  }),
  example: {
    input: { platform: 'x', value: 'volcano lang:en' },
    output: {
      platform: 'firehose',
      value: 'volcano AND language:en',
      exact: true,
      clauses: [{ clause: 'volcano', becomes: 'volcano', verdict: 'exact', reason: 'A word of the text.' }],
    },
  },
  problems(context, input) {
    const { platform: name, value } = fieldsOf(input);
    return name === 'x' || name === 'firehose' ? problemsOfText(context, 'value', name, value) : [];
  },
  async run({ languages }, _, { platform: from, value }) {
    const { query } = languages[from].parse(value.trim());
    const { text, clauses } = translate(query!, other(from));
    return {
      platform: other(from),
      ...(text === undefined ? {} : { value: text }),
      exact: text !== undefined && clauses.every((one) => one.verdict === 'exact'),
      clauses: clauses.map(({ clause, becomes, verdict, reason }) => ({
        clause,
        ...(becomes === undefined ? {} : { becomes }),
        verdict,
        reason,
      })),
    };
  },
});
