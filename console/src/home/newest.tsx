/** The newest stories; for an account whose matches are older than stories, the newest matches. */
import { Link, useNavigate } from '@tanstack/react-router';
import { StoryList, useStories } from '../matches/stories.tsx';
import { Card } from '../ui/card.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { NewestMatches } from './newest-matches.tsx';

const SHOWN = 8;

export function Newest() {
  const { stories, error } = useStories({}, { limit: SHOWN });
  const navigate = useNavigate();
  if (error !== null || stories?.length === 0) return <NewestMatches />;
  return (
    <Card
      title="Newest stories"
      flush
      aside={
        <Link to="/matches/{-$matchId}" params={{}} className="link">
          All matches
        </Link>
      }
    >
      {stories === undefined ? (
        <SkeletonRows rows={5} />
      ) : (
        <StoryList
          stories={stories}
          onOpen={({ id }) => void navigate({ to: '/matches/{-$matchId}', params: { matchId: id } })}
        />
      )}
    </Card>
  );
}
