import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useReadOnly } from '../data/queries.ts';
import { buttonClass } from '../ui/button.tsx';

/** Leads to the editor; not shown to a key that may not create a rule. */
export function NewRuleLink() {
  if (useReadOnly()) return null;
  return (
    <Link to="/rules/new" search={{}} className={buttonClass('primary')}>
      <Plus aria-hidden className="size-3.5" />
      New rule
    </Link>
  );
}
