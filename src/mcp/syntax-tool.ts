/** The tool for the rule languages: in short unless more is asked for. */
import { z } from 'zod';
import { PLATFORMS } from '../domain/platform.ts';
import { operatorsWithValues, platformValues, platformWithValues } from '../service/rules/platform-values.ts';
import { fieldsOf } from '../service/rules/rule-problems.ts';
import { platformSyntax } from '../service/rules/syntax.ts';
import { operation } from './tool.ts';

const PLATFORMS_HELP = z.record(z.string(), z.unknown());

/** The help names an address; an agent has this tool. */
const spoken = <S extends z.ZodType>(shape: S, help: unknown): z.infer<S> =>
  shape.parse(JSON.parse(JSON.stringify(help).replaceAll('POST /platforms/values', 'platform_syntax with `operator`')));

/** A model reads so many values of a long list; a prefix leads to the others. */
const MAX_VALUES = 60;

export const syntaxTool = operation({
  ...platformSyntax,
  name: 'platform_syntax',
  summary: 'Rule syntax of a platform',
  description:
    'How rules for x (posts) and firehose (web pages) are written. Call it once, before your first rule. `form: "long"` adds the grammar and every operator, at 3,000 tokens or more a platform. With `operator` (such as page_category): only the values it takes, those like `prefix`.',
  input: platformSyntax.input.extend({
    form: z.enum(['short', 'long']).default('short'),
    operator: z.string().max(64).optional(),
    prefix: platformValues.input.shape.prefix,
  }),
  // A model reads the answer, and needs no schema of all that is in it.
  output: z.object({
    platforms: PLATFORMS_HELP.optional(),
    short: platformSyntax.output.shape.short,
    values: platformValues.output.shape.values.optional(),
  }),
  example: { input: { platforms: ['x'] }, output: { short: { x: 'Blanks mean AND.' } } },
  problems(_, input) {
    const { operator } = fieldsOf(input);
    if (typeof operator !== 'string' || platformWithValues(operator) !== undefined) return [];
    const known = PLATFORMS.flatMap(operatorsWithValues).join(', ');
    return [{ path: 'operator', message: `It has no list of values. These have one: ${known}.` }];
  },
  async run(context, caller, { operator, prefix, ...input }, request) {
    if (operator === undefined) {
      const { platforms, short } = await platformSyntax.run(context, caller, input, request);
      if (short !== undefined) return { short: spoken(platformSyntax.output.shape.short, short) };
      return { platforms: spoken(PLATFORMS_HELP, platforms) };
    }
    const platform = platformWithValues(operator)!;
    const asked = { platform, operator, prefix, limit: MAX_VALUES };
    return { values: (await platformValues.run(context, caller, asked, request)).values };
  },
});
