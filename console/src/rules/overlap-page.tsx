/** The rules that find the same, at an address of its own. */
import { Link } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { Page } from '../ui/page.tsx';
import { OverlapCard } from './overlap-card.tsx';

export function OverlapPage() {
  return (
    <Page
      title="Compare rules"
      about={
        <Link to="/rules" search={{}} className="inline-flex items-center gap-1 hover:text-ink">
          <ChevronLeft aria-hidden className="size-3.5" />
          All rules
        </Link>
      }
    >
      <OverlapCard />
    </Page>
  );
}
