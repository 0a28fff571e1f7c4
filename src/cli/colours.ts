/** Colours: only on a terminal, or where FORCE_COLOR asks for them. Each of the two outputs is judged by itself. */
import pc from 'picocolors';

const coloursFor = (stream: NodeJS.WriteStream) =>
  pc.createColors(stream.isTTY ? !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb' : forced());

const forced = (): boolean => Boolean(process.env['FORCE_COLOR']) && !process.env['NO_COLOR'];

export const out = coloursFor(process.stdout);
export const err = coloursFor(process.stderr);
