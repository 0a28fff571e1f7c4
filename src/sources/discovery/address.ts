/** The address that somebody pasted, with or without its scheme, or as people write accounts. */
import { parseUrl } from '../../base/parse-url.ts';

const MOST = 2_000;

/** Returns undefined when the text is no address of the web. */
export function readAddress(pasted: string): URL | undefined {
  const text = pasted.trim();
  if (text.length > MOST) return undefined;
  const url = parseUrl(writtenOut(text));
  const isWeb = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '';
  if (!isWeb) return undefined;
  url.hash = '';
  url.username = '';
  url.password = '';
  return url;
}

function writtenOut(text: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text.replace(/^feed:/i, 'https:');
  if (/^feed:https?:/i.test(text)) return text.slice('feed:'.length);
  const [, user, server] = /^@?([\w.-]{1,100})@([a-z0-9.-]{3,253})$/i.exec(text) ?? [];
  if (user !== undefined) return `https://${server}/@${user}`;
  const [, subreddit] = /^\/?r\/(\w{2,21})\/?$/.exec(text) ?? [];
  if (subreddit !== undefined) return `https://www.reddit.com/r/${subreddit}/`;
  const [, handle] = /^@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5})$/i.exec(text) ?? [];
  if (handle !== undefined) return `https://bsky.app/profile/${handle}`;
  // A name without a dot is a word, and `word:` would be a scheme.
  return /^[^\s/?#:]+\.[^\s/?#]+/.test(text) ? `https://${text}` : '';
}
