/** Reads the quickly read parts of a post of Bluesky, without putting it into X's shape. */
import { listIn } from '../../../base/json-fields.ts';
import { MAX_POST_TEXT, type PostGlance } from '../../contract/post.ts';
import { declaredLanguage } from '../../text/language.ts';
import { idOfReference, postIn } from './post.ts';
import { type RecordReference, type RichRecord, richIn } from './rich-record.ts';
import type { JetEvent } from './wire.ts';

/** Nothing of this length is refused by an analyzer, whatever folding makes of it. An id has other parts beside the author's. */
const SHORT = 300;
const SHORT_DID = 100;
const FEW_IMAGES = 60;

const NONE: readonly string[] = [];
const REPLY: readonly string[] = ['reply'];

/** Returns undefined when it is no post, or when a part of it is so long that an analyzer may refuse it. */
export function glanceAt(event: JetEvent): PostGlance | undefined {
  const post = postIn(event);
  if (post === undefined || event.did.length > SHORT_DID) return undefined;
  const { record } = post;
  if (record.text.length > MAX_POST_TEXT) return undefined;
  const rich = richIn(record);
  if (rich !== undefined && !isShort(rich)) return undefined;
  const language = declaredLanguage(listIn(record['langs'])[0]);
  const isPlain = rich === undefined || (rich.embed === undefined && rich.facets.length + rich.tags.length === 0);
  if (isPlain) {
    const is = rich?.reply === undefined ? NONE : REPLY;
    return { texts: [record.text], language, is, has: record.text.includes('$') ? undefined : NONE };
  }
  const quoted = rich.embed?.record;
  const isQuote = quoted !== undefined && idOfReference(quoted) !== undefined;
  const is = [...(rich.reply === undefined ? NONE : REPLY), ...(isQuote ? ['quote'] : NONE)];
  return { texts: [record.text, ...addressesIn(rich)], language, is, has: undefined };
}

const addressesIn = ({ facets, embed }: RichRecord): string[] =>
  [
    ...facets.flatMap(({ features }) => features.map(({ uri }) => uri)),
    embed?.external?.uri,
    embed?.media?.external?.uri,
  ].filter((uri) => uri !== undefined);

const isShortReference = (one: RecordReference | undefined): boolean =>
  one === undefined || one.uri.length + one.cid.length <= SHORT;

function isShort({ facets, tags, reply, embed }: RichRecord): boolean {
  if (!isShortReference(reply?.root) || !isShortReference(reply?.parent) || !isShortReference(embed?.record))
    return false;
  if (embed === undefined && facets.length === 0 && tags.length === 0) return true;
  const images = (embed?.images.length ?? 0) + (embed?.media?.images.length ?? 0);
  const features = facets.flatMap((facet) => facet.features);
  const texts = [
    ...features.flatMap(({ uri, did, tag }) => [uri, did, tag]),
    ...tags,
    embed?.external?.uri,
    embed?.media?.external?.uri,
  ];
  return (
    images <= FEW_IMAGES &&
    facets.every(({ byteStart, byteEnd }) => byteEnd - byteStart <= SHORT) &&
    texts.every((text) => text === undefined || text.length <= SHORT)
  );
}
