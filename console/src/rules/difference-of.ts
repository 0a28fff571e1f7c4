/** What a change adds and drops, from what both texts match. Pure. */

interface Matched {
  /** How many there are; the newest of them are listed. */
  readonly matched: number;
  readonly listed: readonly { readonly id: string; readonly at: number }[];
}

/** Compared over the time that both lists reach back to, so that nothing is missing from one of them. */
export function differenceOf(was: Matched, is: Matched): { added: number; dropped: number; isAll: boolean } {
  const since = Math.max(reach(was), reach(is));
  const idsOf = ({ listed }: Matched) => new Set(listed.filter(({ at }) => at > since).map(({ id }) => id));
  const [before, after] = [idsOf(was), idsOf(is)];
  return {
    added: [...after].filter((id) => !before.has(id)).length,
    dropped: [...before].filter((id) => !after.has(id)).length,
    isAll: since === Number.NEGATIVE_INFINITY,
  };
}

/** The list is whole after this time. */
const reach = ({ matched, listed }: Matched): number =>
  matched <= listed.length ? Number.NEGATIVE_INFINITY : Math.min(...listed.map(({ at }) => at));
