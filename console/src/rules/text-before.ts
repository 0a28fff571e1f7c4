/** The way back to an earlier text of a rule, with the options that it had, as Update Rule wants it. Pure. */
import type { Input } from '../../../packages/client/src/index.ts';
import type { Change, Platform, Rule } from '../data/queries.ts';
import { type Flags, PLATFORMS } from './draft.ts';

export type TextOptions = NonNullable<Input<'updateRule'>['options']>;

interface Held {
  readonly value: string;
  readonly options?: Flags & { readonly sources?: readonly string[] };
}

export interface TextsBefore {
  readonly overrides: Readonly<Partial<Record<Platform, string>>>;
  readonly options: TextOptions;
}

/** The texts that a change has replaced, on these platforms; undefined where there are none. */
export function textsBefore(
  { before, after }: Pick<Change, 'before' | 'after'>,
  platforms: readonly Platform[] = PLATFORMS,
): TextsBefore | undefined {
  const texts = platforms.flatMap((name): [Platform, Held][] => {
    const held = heldIn(before, name);
    return held === undefined ? [] : [[name, held]];
  });
  if (texts.length === 0) return undefined;
  const pages = texts.find(([name]) => name === 'firehose')?.[1];
  // Sources that the change left alone stay as they are now: one of them may be deleted.
  const moved = texts.find(([name, was]) => {
    const is = heldIn(after, name);
    return is !== undefined && JSON.stringify(was.options?.sources) !== JSON.stringify(is.options?.sources);
  });
  return {
    overrides: Object.fromEntries(texts.map(([name, { value }]) => [name, value])),
    options: {
      ...(pages && { firehose: allFlags(pages.options) }),
      ...(moved && { sources: listed(moved[1].options?.sources) }),
    },
  };
}

/** The options of the rule as it is: those that a change is about to set. */
export const optionsNow = ({ platforms, sources }: Rule, asked: TextOptions): TextOptions => ({
  ...(asked.firehose !== undefined && { firehose: allFlags(platforms.firehose?.options) }),
  ...(asked.sources !== undefined && { sources: listed(sources) }),
});

/** A flag that is not named stays as it is; null gives it back to the platform. */
const allFlags = ({ quality, nsfw }: Flags = {}) => ({ quality: quality ?? null, nsfw: nsfw ?? null });

const listed = (sources: readonly string[] | undefined) => (sources === undefined ? null : [...sources]);

function heldIn(fields: Change['before'], platform: Platform): Held | undefined {
  const held = fields?.[platform] as Partial<Held> | null | undefined;
  return typeof held?.value === 'string' ? (held as Held) : undefined;
}
