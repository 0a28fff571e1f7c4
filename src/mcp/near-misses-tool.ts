/** near_misses: which clause keeps a quiet rule quiet. */
import { z } from 'zod';
import { performComputed } from '../service/perform/perform.ts';
import { nearMisses } from '../service/previews/near-misses.ts';
import { clauseText, inventedPart, noticeFor, sampleFields, shownSamples } from './samples.ts';
import { operation } from './tool.ts';

const MAX_SAMPLES = 10;

export const nearMissesTool = operation({
  ...nearMisses,
  runs: 'main',
  name: 'near_misses',
  summary: 'What a rule nearly matched',
  description:
    'For a rule that matches nothing or too little: for each of its clauses, how many recent events fail by that clause alone, with samples. Give `rule_id`, or `platform` and `value`. Then loosen that clause with update_rule.',
  input: nearMisses.input.extend({ limit: z.int().min(0).max(MAX_SAMPLES).default(1) }),
  output: z.object({
    notice: z.string().optional(),
    recent: z.string(),
    clauses: z.array(z.object({ clause: z.string(), missed: z.int(), invented: z.int().optional(), ...sampleFields })),
    clauses_left_out: z.int().optional(),
  }),
  example: {
    input: { platform: 'x', value: 'volcano lang:en' },
    output: { recent: '0 of 900 recent events match.', clauses: [{ clause: 'lang:en', missed: 12 }] },
  },
  async run(context, caller, input, request) {
    const { platform, basis, matched, demo_matched, clauses, clauses_left_out } = await performComputed(
      context,
      nearMisses,
      caller,
      input,
      request,
    );
    const shown = clauses.map(({ text, missed, demo_missed: invented, samples }) => ({
      clause: clauseText(text),
      missed,
      ...(invented !== undefined && { invented }),
      ...shownSamples(platform, samples, input.limit),
    }));
    return {
      ...noticeFor(shown),
      recent: `${matched} of ${basis.events} recent events match${inventedPart({ ...basis, matched, demo_matched })}.`,
      clauses: shown,
      ...(clauses_left_out !== undefined && { clauses_left_out }),
    };
  },
});
