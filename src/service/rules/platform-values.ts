/** Get Platform Values: the values that an operator accepts, so that callers need not guess a label or a code. */
import { z } from 'zod';
import { operatorsWithValues, platformWithValues, valuesLike, valuesOf } from '../../rules/values.ts';
import { platform } from '../shapes.ts';
import { operation } from './room.ts';
import { fieldsOf } from './rule-problems.ts';

export { operatorsWithValues, platformWithValues };

const MOST = 2_000;

export const platformValues = operation({
  name: 'platformValues',
  summary: 'Get the values that an operator accepts',
  description:
    'The values of an operator that accepts a fixed list, each with its name: `lang`, `place_country`, `is` and `has` on `x`; `language`, `page_type` and `page_category` on `firehose`. With `prefix`, only values that start with it, or that have a word in their name that does.',
  access: 'read',
  grants: 'rules',
  input: z.strictObject({
    platform,
    operator: z.string().max(64).describe('For instance `page_category`, with or without its colon.'),
    prefix: z.string().max(200).default(''),
    limit: z.int().min(1).max(MOST).default(100),
  }),
  output: z.object({
    values: z.array(z.object({ value: z.string(), name: z.string() })),
    total: z.int().describe('The number of values without `limit`.'),
  }),
  example: {
    input: { platform: 'firehose', operator: 'page_category', prefix: 'tech' },
    output: { values: [{ value: '/News/Technology_News', name: 'News › Technology News' }], total: 1 },
  },
  problems(_, input) {
    const { platform: name, operator } = fieldsOf(input);
    if ((name !== 'x' && name !== 'firehose') || typeof operator !== 'string') return [];
    if (valuesOf(name, operator) !== undefined) return [];
    return [
      {
        path: 'operator',
        message: `It has no list of values on ${name}. These have one: ${operatorsWithValues(name).join(', ')}.`,
      },
    ];
  },
  async run(_, __, { platform: name, operator, prefix, limit }) {
    const found = valuesLike(valuesOf(name, operator)!, prefix);
    return { values: found.slice(0, limit).map((one) => ({ ...one })), total: found.length };
  },
});
