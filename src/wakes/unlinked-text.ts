/**
 * Text by strangers inside a document of ours: on one line, without characters that hide or reorder text, and with every
 * address in it broken up by an invisible space, so that no mail program or Markdown renderer makes a link of it.
 */
import { webUrl } from '../base/parse-url.ts';

/** Every character that cannot be seen or that moves others, but for the one that makes an emoji coloured. */
const UNSEEN =
  /(?!\uFE0F)[\p{Cf}\p{Default_Ignorable_Code_Point}]|(?<![\p{Extended_Pictographic}0-9#*])\uFE0F|(?![\n\t])\p{Cc}/gu;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/gu;
const BLANKS = /[\p{Cc}\s]+/gu;
const ADDRESS = /(?<=:)(?=\/\/)|(?<=[\p{L}\p{N}]\.)(?=[\p{L}\p{N}])|(?=@)/gu;

/** The text with nothing hidden in it. */
export const seen = (text: string): string => text.toWellFormed().replaceAll(LINE_ENDS, '\n').replaceAll(UNSEEN, '');

export const unlinked = (text: string): string =>
  seen(text).replaceAll(BLANKS, ' ').trim().replaceAll(ADDRESS, '\u200b');

/** An address that a document of ours may link to; undefined for any other scheme. */
export const webLink = (address: string | null): string | undefined => webUrl(address ?? '')?.href;
