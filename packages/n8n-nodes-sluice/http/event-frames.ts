/** The frames of `GET /matches/stream`, read as the bytes come in. n8n allows a node no packages, so this is its own reader. */

export interface EventFrame {
  readonly event: string;
  readonly data: string;
  /** The cursor after this frame. Empty where the frame does not move it. */
  readonly id: string;
}

/** A match has at most about 1 MiB. A server that sends more without an end of frame is not Sluice. */
const LONGEST_FRAME = 16 * 1024 * 1024;

export async function* eventFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EventFrame, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    if (text.length > LONGEST_FRAME) throw new Error('a frame of the stream has no end');
    for (const block of blocks) yield frameOf(block);
  }
}

function frameOf(block: string): EventFrame {
  const frame = { event: '', data: '', id: '' };
  for (const line of block.split('\n')) {
    const [name = '', ...value] = line.split(': ');
    if (name === 'event' || name === 'data' || name === 'id') frame[name] = value.join(': ');
  }
  return frame;
}
