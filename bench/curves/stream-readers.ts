/** A program that holds many streams of matches open: it says when all are open, and then whenever all of them have the next match. */
import { get } from 'node:http';

const [url, key, count] = [process.argv[2]!, process.argv[3]!, Number(process.argv[4])];
const MARK = 'event: match\n';
/** How many streams have had so many matches: at 0, those that are open. */
const have: number[] = [];

function note(matches: number): void {
  have[matches] = (have[matches] ?? 0) + 1;
  if (have[matches] === count) process.stdout.write('all\n');
}

/** Opens the next one when this one is open, so that the server is not asked for all at once. */
function open(index: number): void {
  if (index === count) return;
  get(url, { agent: false, headers: { authorization: `Bearer ${key}` } }, (answer) => {
    if (answer.statusCode !== 200) throw new Error(`a stream was answered ${answer.statusCode}`);
    let matches = 0;
    let rest = '';
    answer.setEncoding('utf8');
    answer.once('data', () => {
      note(0);
      open(index + 1);
    });
    answer.on('data', (text: string) => {
      const pieces = (rest + text).split(MARK);
      rest = pieces.at(-1)!.slice(-MARK.length);
      for (let piece = 1; piece < pieces.length; piece++) note(++matches);
    });
  });
}

open(0);
