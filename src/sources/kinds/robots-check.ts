/** Asks robots.txt of a site before one of its pages is fetched. */
import type { Polite } from '../fetch/polite.ts';
import type { FetchContext } from '../fetch/rounds.ts';
import { allowAll, allowNothing, type Robots, robotsIn } from '../watch/robots.ts';

const ROBOTS_MS = 24 * 3_600_000;

/** Fetches a site's robots.txt once a day. A site without one allows everything; one that cannot answer, nothing. */
export function createRobots({ clock, signal }: FetchContext, polite: Polite): (url: string) => Promise<boolean> {
  const known = new Map<string, { at: number; robots: Promise<Robots> }>();

  async function fetchRobots(origin: string): Promise<Robots> {
    const { status, body } = await polite.get({
      url: `${origin}/robots.txt`,
      signal,
      maxBytes: 512 * 1024,
    });
    if (status >= 500 || status === 429) return allowNothing;
    if (status !== 200) return allowAll;
    const robots = robotsIn(body);
    polite.slowDown(origin, robots.delayMs);
    return robots;
  }

  return async (url) => {
    const { origin, pathname, search } = new URL(url);
    const now = clock.elapsed();
    let entry = known.get(origin);
    if (entry === undefined || now - entry.at > ROBOTS_MS) {
      entry = { at: now, robots: fetchRobots(origin) };
      known.set(origin, entry);
      // After a failure the file is asked for again at the next visit.
      entry.robots.then((robots) => robots === allowNothing && known.delete(origin)).catch(() => known.delete(origin));
    }
    return (await entry.robots).allows(`${pathname}${search}`);
  };
}
