/**
 * Who waits for space in the queue hears of it when all others do. They go on one in each turn of the event loop, and look whether
 * there still is space: all of them in one turn would hold up everything else for as many slices, and fill the queue twice over.
 */
type SpaceFree = () => Promise<void> | undefined;

export function spaceInTurn(spaceFree: SpaceFree, pause: () => Promise<void> | undefined): SpaceFree {
  async function wait(first: Promise<void>): Promise<void> {
    for (let space: Promise<void> | undefined = first; space !== undefined; space = spaceFree()) {
      await space;
      await pause();
    }
  }
  return () => {
    const space = spaceFree();
    return space && wait(space);
  };
}
