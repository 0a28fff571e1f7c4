/** Earlier, later, closer, farther: what a drag over a chart does, for the keyboard and for a finger. */
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import { serverNow } from '../ui/server-now.ts';
import { moved, type Range, zoomed } from './range.ts';

const ICON = 'size-4';

export function ZoomButtons({ range, onShow }: { range: Range; onShow(range: Range): void }) {
  return (
    <span className="flex">
      <IconButton label="Earlier" onClick={() => onShow(moved(range, -0.5, serverNow()))}>
        <ChevronLeft aria-hidden className={ICON} />
      </IconButton>
      <IconButton label="Later" onClick={() => onShow(moved(range, 0.5, serverNow()))}>
        <ChevronRight aria-hidden className={ICON} />
      </IconButton>
      <IconButton label="Zoom in" onClick={() => onShow(zoomed(range, 0.5, serverNow()))}>
        <ZoomIn aria-hidden className={ICON} />
      </IconButton>
      <IconButton label="Zoom out" onClick={() => onShow(zoomed(range, 2, serverNow()))}>
        <ZoomOut aria-hidden className={ICON} />
      </IconButton>
    </span>
  );
}
