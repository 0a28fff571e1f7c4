/**
 * Answers that are asked for again and again, kept as bytes for as long as nothing in the store changes: whoever polls
 * for new matches costs next to nothing while there are none. The first change, by whomever, empties it.
 */
export interface Answers {
  /** The kept answer under this name, or what `make` answers now. */
  of(name: string, make: () => Promise<string>): Promise<Buffer>;
}

const MAX_BYTES = 16 * 1024 * 1024;

export function createAnswers(version: () => Promise<string>, maxBytes = MAX_BYTES): Answers {
  const kept = new Map<string, Buffer>();
  let keptAt: string | undefined;
  let bytes = 0;
  return {
    async of(name, make) {
      // Asked before the answer is made: one that is newer than its version is thrown away at the next question.
      const now = await version();
      if (now !== keptAt) {
        kept.clear();
        [keptAt, bytes] = [now, 0];
      }
      const found = kept.get(name);
      if (found !== undefined) return found;
      const answer = Buffer.from(await make());
      if (now === keptAt && bytes + answer.length <= maxBytes) {
        bytes += answer.length;
        kept.set(name, answer);
      }
      return answer;
    },
  };
}
