/** An explanation in answers: every part of a rule, whether it is true for an event, and where. */
import { z } from 'zod';
import type { Explanation } from '../../engine/explain/explain.ts';
import { highlight, highlightToJson } from '../shapes.ts';

export interface Part {
  label: string;
  holds: boolean;
  highlights: z.infer<typeof highlight>[];
  of: Part[];
  near?: string[] | undefined;
}

export const part: z.ZodType<Part> = z.object({
  label: z.string(),
  holds: z.boolean(),
  highlights: z.array(highlight),
  get of() {
    return z.array(part);
  },
  near: z
    .array(z.string())
    .optional()
    .describe(
      'Of a part that is not true: up to three things that are there instead: like words, the word in another field, another value, the words of a phrase apart, or the number that is there.',
    ),
});

export const partOf = ({ label, holds, highlights, of, near }: Explanation): Part => ({
  label,
  holds,
  highlights: highlights.map(highlightToJson),
  of: of.map(partOf),
  ...(near && { near: [...near] }),
});
