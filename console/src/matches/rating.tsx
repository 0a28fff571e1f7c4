/** Rating a match: relevant or not. What was rated decides how relevant Sluice takes its like for. */
import { useQueryClient } from '@tanstack/react-query';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { client } from '../data/client.ts';
import { observable, useObservable } from '../data/observable.ts';
import { type Match, useReadOnly } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';
import { RATINGS } from '../words/rules.ts';

export type Rating = Match['rating'];

/** The ratings since the page loaded: the feed is not loaded again for them. */
const rated = observable<ReadonlyMap<string, Rating>>(new Map());

export const ratingOf = (match: Match, since: ReadonlyMap<string, Rating>): Rating =>
  since.has(match.id) ? since.get(match.id)! : match.rating;

export const useRatings = (): ReadonlyMap<string, Rating> => useObservable(rated);

export function useRate(): (match: Match, rating: Rating) => void {
  const queries = useQueryClient();
  const isReadOnly = useReadOnly();
  const put = (match: Match, rating: Rating) => rated.set(new Map([...rated.get(), [match.id, rating]]));
  return (match, rating) => {
    if (isReadOnly) return void toast('Your key is read only.', 'bad');
    const before = ratingOf(match, rated.get());
    const run = (next: Rating, previous: Rating) => {
      put(match, next);
      client.matches.rate({ match_id: match.id, rating: next }).then(
        () => void queries.invalidateQueries({ queryKey: ['suggestions'] }),
        (error: Error) => {
          put(match, previous);
          toast(`The rating was not saved: ${error.message}`, 'bad');
        },
      );
    };
    run(rating, before);
    toast(rating === null ? 'The rating is taken back.' : RATINGS[rating].about, 'ok', {
      label: 'Undo',
      run: () => run(before, rating),
    });
  };
}

/** Pressing a pressed one takes the rating back. */
export function RatingButtons({ match }: { match: Match }) {
  const rating = ratingOf(match, useRatings());
  const rate = useRate();
  return (
    <>
      <Button
        size="small"
        aria-pressed={rating === 'relevant'}
        icon={<ThumbsUp aria-hidden className="size-3.5" />}
        className="aria-pressed:border-ok aria-pressed:bg-ok-soft aria-pressed:text-ok"
        onClick={() => rate(match, rating === 'relevant' ? null : 'relevant')}
      >
        {RATINGS.relevant.words}
      </Button>
      <Button
        size="small"
        aria-pressed={rating === 'irrelevant'}
        icon={<ThumbsDown aria-hidden className="size-3.5" />}
        className="aria-pressed:border-bad aria-pressed:bg-bad-soft aria-pressed:text-bad"
        onClick={() => rate(match, rating === 'irrelevant' ? null : 'irrelevant')}
      >
        {RATINGS.irrelevant.words}
      </Button>
    </>
  );
}
