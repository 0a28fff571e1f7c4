/**
 * The moment of the timeline: a drag zooms in, a click picks a moment, and so do the arrow keys. What is picked is said in
 * words, seen and read aloud alike.
 */
import { type KeyboardEvent, type MouseEvent, type PointerEvent, useRef, useState } from 'react';
import { type Columns, type Range, spanPlace } from './range.ts';

/** A drag of fewer pixels is a click. */
const CLICK = 5;

interface Drag {
  /** Shares of the width. */
  readonly start: number;
  readonly end: number;
}

interface PointingProps {
  readonly range: Range;
  readonly columns: Columns;
  onPick(column: number): void;
  /** Zooms to a dragged span. */
  onZoom(range: Range): void;
}

/** Drags and clicks over the lanes. A click on a span follows its link instead, and a drag may begin on one. */
export function usePointing({ range: { from, to }, columns: { starts, step }, onPick, onZoom }: PointingProps) {
  const place = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<Drag>();
  const wasDragged = useRef(false);
  const share = ({ clientX }: MouseEvent) => {
    const { left, width } = place.current!.getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width));
  };
  const timeOf = (at: number) => from + at * (to - from);
  const columnAt = (time: number) => Math.max(0, Math.min(starts.length - 1, Math.floor((time - starts[0]!) / step)));
  const isLong = ({ start, end }: Drag) => Math.abs(end - start) * place.current!.clientWidth >= CLICK;
  return {
    place,
    drag,
    onPointerDown: (event: PointerEvent) => {
      wasDragged.current = false;
      setDrag({ start: share(event), end: share(event) });
    },
    onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
      if (drag === undefined) return;
      const moved = { ...drag, end: share(event) };
      // Only now: a captured click would miss the link under it.
      if (isLong(moved)) event.currentTarget.setPointerCapture(event.pointerId);
      setDrag(moved);
    },
    onPointerUp: () => {
      if (drag === undefined) return;
      setDrag(undefined);
      if (!isLong(drag)) return;
      wasDragged.current = true;
      const [left, right] = [Math.min(drag.start, drag.end), Math.max(drag.start, drag.end)];
      onZoom({ from: Math.round(timeOf(left)), to: Math.round(timeOf(right)) });
    },
    onPointerCancel: () => setDrag(undefined),
    onPointerLeave: () => setDrag(undefined),
    onClickCapture: (event: MouseEvent) => {
      if (wasDragged.current) event.preventDefault();
      else if (!(event.target instanceof Element && event.target.closest('a') !== null))
        onPick(columnAt(timeOf(share(event))));
    },
  };
}

interface MomentSliderProps {
  readonly range: Range;
  readonly columns: Columns;
  /** The picked column. */
  readonly picked: number | undefined;
  readonly drag: Drag | undefined;
  /** Says what a column holds. */
  wordsOf(column: number): string;
  onPick(column: number): void;
}

/** It takes the keyboard. The pointer goes through it, to the spans below. */
export function MomentSlider(props: MomentSliderProps) {
  const { range, columns, picked, drag, wordsOf, onPick } = props;
  const { from, to } = range;
  const { starts, step } = columns;
  const onKey = (event: KeyboardEvent) => {
    const at = picked ?? starts.length;
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: starts.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onPick(Math.max(0, Math.min(starts.length - 1, next)));
  };
  const shown = picked ?? starts.length - 1;
  const start = starts[shown] ?? from;
  const pickedPlace = spanPlace({ from: start, to: start + step }, from, to);
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Moment"
      aria-valuemin={0}
      aria-valuemax={Math.max(0, starts.length - 1)}
      aria-valuenow={shown}
      aria-valuetext={wordsOf(shown)}
      onKeyDown={onKey}
      className="pointer-events-none absolute inset-0 outline-offset-2"
    >
      {picked !== undefined && starts[picked] !== undefined && (
        <span
          className="absolute inset-y-0 border-x border-accent bg-accent/10"
          style={{
            left: `${pickedPlace.left}%`,
            width: `max(3px, ${pickedPlace.width}%)`,
          }}
        />
      )}
      {drag !== undefined && (
        <span
          className="absolute inset-y-0 bg-accent/20"
          style={{
            left: `${100 * Math.min(drag.start, drag.end)}%`,
            width: `${100 * Math.abs(drag.end - drag.start)}%`,
          }}
        />
      )}
    </div>
  );
}
