/** OPML: the lists of feeds that readers of feeds export. */
import { parseOpml } from 'feedsmith';

/** The addresses of all feeds in it, each once; undefined when it is no OPML. */
export function feedsInOpml(text: string): string[] | undefined {
  try {
    const { body } = parseOpml(text);
    return [...new Set(addressesIn(body?.outlines ?? []))];
  } catch {
    return undefined;
  }
}

interface Outline {
  readonly xmlUrl?: string;
  readonly outlines?: readonly Outline[];
}

/** Folders are outlines with others inside. */
function addressesIn(outlines: readonly Outline[]): string[] {
  return outlines.flatMap(({ xmlUrl, outlines: inside = [] }) => [
    ...(xmlUrl !== undefined && /^https?:\/\//.test(xmlUrl) ? [xmlUrl] : []),
    ...addressesIn(inside),
  ]);
}
