/** Several streams as one, in the order of their arrivals. Each stream waits until what it brought was taken. */

/** Throws what one of them throws, after everything that came before it; ends when all have ended. */
export async function* mergeStreams<T>(streams: readonly AsyncIterable<T>[]): AsyncIterable<T> {
  const arrived: T[] = [];
  let failure: { readonly error: unknown } | undefined;
  let running = streams.length;
  let [news, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isLeft = false;

  async function pump(stream: AsyncIterable<T>): Promise<void> {
    try {
      for await (const one of stream) {
        arrived.push(one);
        news.resolve();
        await taken.promise;
        if (isLeft) return;
      }
    } catch (error) {
      failure ??= { error };
    } finally {
      running--;
      news.resolve();
    }
  }

  const pumps = streams.map(pump);
  try {
    for (;;) {
      while (arrived.length > 0) yield arrived.shift()!;
      if (failure !== undefined) throw failure.error;
      if (running === 0) return;
      news = Promise.withResolvers();
      taken.resolve();
      taken = Promise.withResolvers();
      await news.promise;
    }
  } finally {
    isLeft = true;
    taken.resolve();
    void Promise.allSettled(pumps);
  }
}
