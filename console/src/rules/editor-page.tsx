import { Page } from '../ui/page.tsx';

export function NewRulePage() {
  return <Page title="New rule">{undefined}</Page>;
}
export function RulePage() {
  return <Page title="Rule">{undefined}</Page>;
}
