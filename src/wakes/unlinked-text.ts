/**
 * Text by strangers inside a document of ours: on one line, without characters that hide or reorder text, and with every
 * address in it broken up by an invisible space, so that no mail program or Markdown renderer makes a link of it.
 */
const UNSEEN = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
const BLANKS = /[\p{Cc}\s]+/gu;
const ADDRESS = /(?<=:)(?=\/\/)|(?<=[\p{L}\p{N}]\.)(?=[\p{L}\p{N}])|(?=@)/gu;

export const unlinked = (text: string): string =>
  text.toWellFormed().replaceAll(UNSEEN, '').replaceAll(BLANKS, ' ').trim().replaceAll(ADDRESS, '\u200b');

/** An address that a document of ours may link to; undefined for any other scheme. */
export const webLink = (address: string | null): string | undefined =>
  address !== null && URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)
    ? new URL(address).href
    : undefined;
