/** Get Platform Syntax: the help of the rule languages. */
import { z } from 'zod';
import { PLATFORMS } from '../../domain/platform.ts';
import type { SyntaxHelp } from '../../rules/language.ts';
import { SHORT_HELP } from '../../rules/languages.ts';
import { platform } from '../shapes.ts';
import { operation } from './room.ts';

export const operatorHelp = z.object({
  name: z.string(),
  syntax: z.string(),
  description: z.string(),
  example: z.string(),
  standalone: z.boolean(),
  negatable: z.boolean(),
});
export const syntaxHelp = z.object({
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
    'Everything needed to write rules for a platform: grammar, operators, limits, worked examples and pitfalls. Without `platforms`, for all of them. With `form: "short"` the essentials as text, at most 1,200 tokens for both platforms.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    platforms: z.array(platform).min(1).optional(),
    form: z.enum(['long', 'short']).default('long'),
  }),
  output: z.object({
    platforms: z.partialRecord(z.enum(PLATFORMS), syntaxHelp).describe('Empty in the short form.'),
    short: z.partialRecord(z.enum(PLATFORMS), z.string()).optional().describe('In the short form only.'),
  }),
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
  run: async ({ languages }, _, { platforms = [...PLATFORMS], form }) =>
    form === 'short'
      ? { platforms: {}, short: Object.fromEntries(platforms.map((name) => [name, SHORT_HELP[name]])) }
      : { platforms: Object.fromEntries(platforms.map((name) => [name, helpToJson(languages[name].help)])) },
});

const helpToJson = (help: SyntaxHelp): z.input<typeof syntaxHelp> => ({
  ...help,
  operators: [...help.operators],
  examples: [...help.examples],
  pitfalls: [...help.pitfalls],
});
