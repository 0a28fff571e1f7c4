import { Page } from '../ui/page.tsx';

export function MatchesPage() {
  return <Page title="Matches">{undefined}</Page>;
}
