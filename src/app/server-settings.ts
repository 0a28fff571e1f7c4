/**
 * The settings that commands read which talk to a server. Apart from the other settings, because these load much of the
 * program.
 */
import { trimEnd } from '../base/parse-url.ts';

export const USUAL_SERVER = 'http://127.0.0.1:4800';

export const USUAL_DATA_DIR = './data';

export const ADDRESS_ERROR = 'must be an http:// or https:// address';
export const KEY_ERROR = 'must have 16 or more characters, all of them plain ASCII';

export const isServerAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export const withoutFinalSlashes = (address: string): string => trimEnd(address, '/');

export const isKeyText = (text: string): boolean => /^[\x21-\x7e][\x20-\x7e]{14,}[\x21-\x7e]$/.test(text);
