/** What is known of the answers to several questions: which are not here yet, and which will not come. Pure. */
interface Asked {
  readonly data: unknown;
  readonly error: Error | null;
  /** A question that is not asked is missing nothing. */
  readonly isEnabled: boolean;
  /** The answer is that to an earlier question. */
  readonly isPlaceholderData: boolean;
}

export interface Answers {
  /** Some are not here yet, so that nothing can be said for certain. */
  readonly isUpdating: boolean;
  /** A sentence for each that failed. */
  readonly failures: readonly string[];
}

/** By the words for what was asked for. */
export function answersOf(asked: Readonly<Record<string, readonly Asked[]>>): Answers {
  const failures = Object.entries(asked).flatMap(([what, all]) => {
    const failed = all.find(({ error }) => error !== null);
    return failed === undefined ? [] : [`Not all is shown here: ${what} could not be loaded. ${failed.error!.message}`];
  });
  const isUpdating = Object.values(asked)
    .flat()
    .some(
      ({ data, error, isEnabled, isPlaceholderData }) =>
        isPlaceholderData || (isEnabled && data === undefined && error === null),
    );
  return { isUpdating, failures };
}

/** That there is nothing is said only where everything is known. */
export const emptyWords = ({ isUpdating, failures }: Answers, words: string): string =>
  isUpdating ? 'Updating …' : failures.length > 0 ? 'Whether something is on record is not known.' : words;
